"""How the HTML report looks, by day and by night."""

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #222222; --faint: #6b6b6b; --line: #d9d9d9;
  --grey: #bdbdbd; --soft: #f4f6f8; --ours: #e8f2fa; --ahead: #0b7a4b; --behind: #b3441a; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e6e6e6; --faint: #9aa0a6; --line: #3a3f45;
  --grey: #565c63; --soft: #1f2327; --ours: #16303f; --ahead: #4cc38a; --behind: #f0936b; --accent: #6db7e8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
header, main, nav { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; padding-bottom: .75rem; }
nav { position: sticky; top: 0; z-index: 3; background: var(--paper); border-bottom: 1px solid var(--line);
  padding-top: .5rem; padding-bottom: .5rem; overflow-x: auto; white-space: nowrap; }
section { scroll-margin-top: 3rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.5rem; }
h3 { margin: 2rem 0 .25rem; font-size: 1.1rem; }
nav a { margin-right: 1.25rem; color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.facts, .about, figcaption, .note { color: var(--faint); font-size: .875rem; }
.facts { margin-top: .75rem; }
.about { margin: .25rem 0 .75rem; max-width: 60rem; }
.scroll { overflow-x: auto; }
.claims { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: .6rem; max-width: 70rem; }
.claims li { display: grid; grid-template-columns: 7.5rem 1fr; gap: .9rem; align-items: start; }
.detail { color: var(--faint); font-size: .875rem; }
.badge { font-size: .8rem; font-weight: 600; text-align: center; border: 1px solid currentColor; border-radius: 1rem;
  padding: .1rem .5rem; white-space: nowrap; }
.badge.holds { color: var(--ahead); }
.badge.in-part { color: var(--faint); }
.badge.does-not-hold { color: var(--behind); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line); }
thead th { vertical-align: bottom; white-space: normal; min-width: 4.2rem; }
tbody th { text-align: left; font-weight: 500; position: sticky; left: 0; background: var(--paper); z-index: 1; }
tr.ours th { background: var(--ours); }
th.note { text-align: left; }
tbody tr { border-bottom: 1px solid var(--line); }
tr.group th { color: var(--faint); font-weight: 600; background: var(--soft); font-size: .8rem; }
tr.ours { background: var(--ours); }
td.wins { font-weight: 700; color: var(--accent); }
td.wins small, td small { font-weight: 400; color: var(--faint); }
td.note, td.word { text-align: left; }
td.note { white-space: normal; }
td.ahead { color: var(--ahead); }
td.behind { color: var(--behind); }
td.level { color: var(--faint); }
.paper { display: block; color: var(--faint); font-size: .75rem; font-weight: 400; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 1.5rem 0 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
figure svg { width: 100%; min-width: 30rem; height: auto; display: block; }
.texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 0 2rem; }
.texts > div { min-width: 0; }
.texts thead th { text-align: left; }
td.word { white-space: normal; }
@media (max-width: 40rem) {
  body { font-size: 15px; } header, main, nav { padding-left: 1rem; padding-right: 1rem; } h1 { font-size: 1.5rem; }
  .claims li { grid-template-columns: 1fr; gap: .2rem; } .badge { justify-self: start; }
  th, td { padding: .3rem .4rem; } tbody th { white-space: normal; min-width: 6rem; max-width: 9rem; }
  figure { padding: .5rem; }
}
main { padding-bottom: 4rem; }
"""
