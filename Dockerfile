# A model behind the service; see docs/service.md.
#
#   docker build -t vbn .
#   docker run -p 127.0.0.1:8000:8000 -e VBN_TOKEN -v "$PWD/my-model:/model:ro" vbn
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 vbn
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir ".[serve,tables]" && rm -rf /src

USER vbn
WORKDIR /home/vbn
# Kernels are compiled now, not at the first start, for the kind of processor that builds the image; on another kind the
# first start compiles them again, before it is ready. The folder must stay writable: numba tries.
ENV NUMBA_CACHE_DIR=/home/vbn/kernels PYTHONUNBUFFERED=1
RUN vbn demo --epochs 1 --out /tmp/demo && vbn recommend /tmp/demo cheese wine && vbn explain /tmp/demo gouda \
  && rm -rf /tmp/demo

VOLUME /model
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", \
  "import urllib.request as ask; ask.urlopen('http://127.0.0.1:8000/api/v1/ready', timeout=4)"]
ENTRYPOINT ["vbn"]
CMD ["serve", "/model", "--host", "0.0.0.0", "--port", "8000", "--workers", "2"]
