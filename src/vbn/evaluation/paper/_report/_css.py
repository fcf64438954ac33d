"""How the HTML report looks, by day and by night."""

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #222222; --faint: #6b6b6b; --line: #d9d9d9;
  --soft: #f4f6f8; --ours: #e8f2fa; --ahead: #0b7a4b; --behind: #b3441a; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e6e6e6; --faint: #9aa0a6; --line: #3a3f45;
  --soft: #1f2327; --ours: #16303f; --ahead: #4cc38a; --behind: #f0936b; --accent: #6db7e8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
header, main { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: 1rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.5rem; }
h3 { margin: 2rem 0 .25rem; font-size: 1.1rem; }
nav a { margin-right: 1.25rem; color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.facts, .about, figcaption, .note { color: var(--faint); font-size: .875rem; }
.facts { margin-top: .75rem; }
.about { margin: .25rem 0 .75rem; max-width: 60rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line); }
tbody th { text-align: left; font-weight: 500; }
tbody tr { border-bottom: 1px solid var(--line); }
tr.group th { color: var(--faint); font-weight: 600; background: var(--soft); font-size: .8rem; }
tr.ours { background: var(--ours); }
td.wins { font-weight: 700; color: var(--accent); }
td.wins small, td small { font-weight: 400; color: var(--faint); }
td.note, td.word { text-align: left; }
td.ahead { color: var(--ahead); }
td.behind { color: var(--behind); }
td.level { color: var(--faint); }
.paper { display: block; color: var(--faint); font-size: .75rem; font-weight: 400; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 1.5rem 0 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
figure svg { width: 100%; height: auto; }
main { padding-bottom: 4rem; }
"""
