// The service described, from its own description.

import { get } from "./api.js";
import { fill, h } from "./dom.js";

const name = (schema) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(name).join(" or ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if (schema.type === "array") return `list of ${name(schema.items) || "values"}`;
  return schema.type || "";
};

function fields(schema, all) {
  const found = schema?.$ref ? all[schema.$ref.split("/").pop()] : schema;
  return Object.entries(found?.properties || {}).map(([key, value]) =>
    h("li", {}, h("code", {}, key), ` ${name(value)}`, (found.required || []).includes(key) ? ", needed" : value.default === undefined || value.default === null ? "" : `, ${JSON.stringify(value.default)} if not given`),
  );
}

const description = await get("openapi.json");
const all = description.components.schemas;
document.documentElement.dataset.theme = localStorage.getItem("vbn-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
fill(
  document.getElementById("operations"),
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const body = operation.requestBody?.content?.["application/json"]?.schema;
      const answer = operation.responses?.["200"]?.content?.["application/json"]?.schema;
      return h(
        "article",
        {},
        h("h2", {}, h("code", {}, `${method.toUpperCase()} ${path}`)),
        h("p", {}, `${operation.summary}. ${operation.description || ""}`),
        operation.parameters?.length ? h("ul", {}, operation.parameters.map((one) => h("li", {}, h("code", {}, one.name), ` ${name(one.schema)}${one.required ? ", needed" : ""}`))) : null,
        body ? [h("p", {}, "Body:"), h("ul", {}, fields(body, all))] : null,
        answer ? [h("p", {}, `Answer: ${name(answer)}`), h("ul", {}, fields(answer, all))] : null,
      );
    }),
  ),
);
