import { otherColours, purposes } from "./purposes.ts";

function variables(theme: "light" | "dark"): string {
  const all = [
    ...purposes.map(({ purpose, ...colours }) => [purpose, colours] as const),
    ...Object.entries(otherColours),
  ];
  return all.map(([name, colours]) => `--${name}:${colours[theme]}`).join(";");
}

const light =
  "--page:#fff;--card:#f6f7f9;--text:#1b1f24;--quiet:#505a66;--line:#d3d8de;--mark:#0a5fb4;color-scheme:light";
const dark =
  "--page:#14171b;--card:#1d2127;--text:#e7eaee;--quiet:#aab4c0;--line:#39414b;--mark:#7db7ff;color-scheme:dark";

export const style = `
:root{${light};${variables("light")}}
@media (prefers-color-scheme:dark){:root{${dark};${variables("dark")}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:76rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.35rem;line-height:1.3;margin:3rem 0 .5rem}
h3{font-size:1.05rem;margin:2rem 0 .25rem;overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:70ch}
.quiet{color:var(--quiet)}
.small{font-size:.875rem}
a{color:var(--mark)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(12.5rem,1fr));gap:.75rem;margin:1.5rem 0;padding:0;list-style:none}
.cards li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1rem}
.cards .label{display:block;color:var(--quiet);font-size:.875rem}
.cards .value{display:block;font-size:1.6rem;font-weight:600;line-height:1.3;font-variant-numeric:tabular-nums}
.cards .note{display:block;color:var(--quiet);font-size:.8125rem;overflow-wrap:anywhere}
figure{margin:1rem 0 2rem}
figcaption{font-weight:600;margin-bottom:.15rem}
.plot+.plot+.scroll,figure>.scroll{margin-top:1rem}
.plot{display:block;width:100%;height:auto;color:var(--text);font-family:inherit}
.narrow{display:none}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.35rem 0 .5rem;padding:0;font-size:.875rem}
.legend span{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin-right:.4rem;vertical-align:-.05rem}
.legend span.rule{height:0;border-radius:0;border-top:3px solid;vertical-align:.2rem}
.legend span.dashed{border-top-style:dashed}
.legend span.ring{background:none;border:2px solid;border-radius:50%}
.legend span.dot{border-radius:50%}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--mark);width:fit-content;padding:.15rem 0}
summary:focus-visible,.scroll:focus-visible,a:focus-visible{outline:3px solid var(--mark);outline-offset:2px;border-radius:.2rem}
details.run{border-top:1px solid var(--line);margin:0;padding:.4rem 0}
details.run>summary{font-weight:600;font-size:1.05rem;padding:.4rem 0;width:auto;overflow-wrap:anywhere}
.scroll{overflow:auto;max-height:32rem;border:1px solid var(--line);border-radius:.5rem;background:linear-gradient(to left,var(--page) 35%,transparent) right/3rem 100% no-repeat local,linear-gradient(to left,color-mix(in srgb,var(--text) 15%,transparent),transparent) right/.9rem 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;max-width:min(70ch,80vw);padding:.5rem .75rem;color:var(--quiet)}
th,td{padding:.4rem .75rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{position:sticky;top:0;background:var(--card);border-top:0;white-space:nowrap}
tbody th{font-weight:400}
tbody th,tbody td{overflow-wrap:break-word;max-width:22rem}
.nowrap{white-space:nowrap}
.number{text-align:right;white-space:nowrap}
tr.front th,tr.front td{font-weight:600}
dl{margin:.5rem 0}
dt{font-weight:600;margin-top:.6rem}
dd{margin:0;max-width:70ch;overflow-wrap:anywhere}
ul.plain{padding-left:1.2rem;overflow-wrap:anywhere}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:3rem;border-top:1px solid var(--line)}
@media (max-width:640px){main,header,footer{padding-left:1rem;padding-right:1rem}header{padding-top:1.5rem}h1{font-size:1.5rem}.wide{display:none}.narrow{display:block}.cards{grid-template-columns:1fr 1fr}.cards .value{font-size:1.3rem}}
@media print{:root{${light};${variables("light")}}body{font-size:11pt}.scroll{max-height:none;overflow:visible;border:0;background:none}thead th{position:static}details::details-content{content-visibility:visible;height:auto}summary{color:inherit}figure,.cards li{break-inside:avoid}h2,h3{break-after:avoid}}
`.trim();
