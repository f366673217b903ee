#include "sections.hpp"

namespace ridge::report {

// The digests are those of the texts: a test computes them and says the new one after a change.

const Inline& page_style() {
  static const Inline style = {R"css(
:root{color-scheme:light;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--back:#fff;--link:#0550ae;
--bad:#b3261e;--p0:#0072b2;--p1:#c4500a;--p2:#00795a;--p3:#9b3f8c;--p4:#57606a;--p5:#846a00;--p6:#c2255c;
--p7:#0b7285}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e6edf3;--soft:#9da7b1;
--line:#343b44;--back:#12161b;--link:#79b8ff;--bad:#ff8a80;--p0:#58a6e8;--p1:#f0883e;--p2:#3fb995;
--p3:#d48ad0;--p4:#9da7b1;--p5:#d4b106;--p6:#ff7eb6;--p7:#4dd0e1}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1rem 1.25rem 4rem;max-width:72rem;background:var(--back);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.6rem;margin:.5rem 0}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.4rem 0;max-width:48rem}
a{color:var(--link)}
nav a{display:inline-block;margin:.2rem .9rem .2rem 0}
ol{padding-left:2rem}
li{overflow-wrap:anywhere}
.bad,.bad td{color:var(--bad);font-weight:600}
.wide{overflow-x:auto;--x:transparent;background:
linear-gradient(90deg,var(--back) 40%,var(--x)) 0/3rem no-repeat local,
linear-gradient(270deg,var(--back) 40%,var(--x)) 100%/3rem no-repeat local,
linear-gradient(90deg,var(--line),var(--x)) 0/1rem no-repeat,
linear-gradient(270deg,var(--line),var(--x)) 100%/1rem no-repeat}
figure{margin:.5rem 0}
figcaption,caption,.keys{color:var(--soft);font-size:.87rem}
caption{text-align:left;padding:.4rem 0}
.keys span{white-space:nowrap;margin-right:.8rem}
.wide>svg{width:100%;height:auto;min-width:54rem;max-width:66rem}
.facts td:nth-child(n+2):nth-child(-n+3){white-space:nowrap}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:.5rem 1.5rem}
.small svg:not(.key){max-width:100%;height:auto}
figcaption{overflow-wrap:anywhere}
svg{vertical-align:top}
svg text{font-size:11px;fill:var(--soft);paint-order:stroke;stroke:var(--back);stroke-width:3px;
stroke-linejoin:round}
.mid{text-anchor:middle}.end{text-anchor:end}
.marks{position:absolute;width:0;height:0}
.key{width:12px;height:12px;vertical-align:-1px;fill:currentColor}
.tick{stroke:currentColor;stroke-width:1;opacity:.8}
.grid{stroke:var(--line);stroke-width:1;fill:none;shape-rendering:crispEdges}
.roof{stroke:var(--ink);stroke-width:1.3;fill:none}
.own{stroke:var(--soft);stroke-width:2}
.line{stroke:currentColor;stroke-width:1.5;fill:none}
.p0{color:var(--p0)}.p1{color:var(--p1)}.p2{color:var(--p2)}.p3{color:var(--p3)}.p4{color:var(--p4)}
.p5{color:var(--p5)}.p6{color:var(--p6)}.p7{color:var(--p7)}.dash{stroke-dasharray:5 4}
.study{max-width:48rem}.study .wide>svg{min-width:34rem;max-width:100%}.study .keys{display:block}
[class^=p],.b{fill:currentColor}
use{stroke:var(--back);stroke-width:.8}
.key use{stroke:none}.key use.c{stroke:currentColor}
use.c{fill:var(--back);stroke:currentColor;stroke-width:1.3}
.b rect{y:3px;height:9px}
.b rect+rect{y:6.5px;height:2px;fill:var(--ink);stroke:var(--ink);stroke-width:1px}
table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.18rem .7rem .18rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
th span{font-weight:400;color:var(--soft);overflow-wrap:anywhere}
thead th{white-space:nowrap;vertical-align:bottom}
tr:target{outline:2px solid var(--link);outline-offset:-2px}
.sortable td{white-space:nowrap}.sortable td:last-child{white-space:normal}
.all td:last-child{min-width:14rem}
.sortable button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
[aria-sort=ascending] button::after{content:" \2191"}
[aria-sort=descending] button::after{content:" \2193"}
.bars{width:100%;table-layout:fixed}
.bars th:first-child{width:42%}
.bars td:last-child,.bars th:last-child{padding-left:.7rem;padding-right:0;width:26%}
.bars td:nth-child(2),.bars thead th:nth-child(2){padding:0}
.bars td:nth-child(2){background:linear-gradient(90deg,transparent 79.8%,var(--soft) 79.8%,
var(--soft) 80.2%,transparent 80.2%),repeating-linear-gradient(90deg,var(--line) 0 1px,
transparent 1px 20%)}
.bars tbody th[scope=rowgroup]{padding:1rem 0 .18rem;width:auto}
.bars tbody a{font-weight:400}
.b,.axis{display:block;width:100%;height:15px}
.axis{overflow:visible}
.b{margin-top:.3rem}
.b text{stroke:none;fill:var(--back);text-anchor:end}
@media (max-width:40rem){body{padding:.5rem .75rem 3rem}
.bars,.bars tbody,.bars caption{display:block}.bars thead{display:none}
.bars tr{display:grid;grid-template-columns:3fr 2fr;border-bottom:1px solid var(--line)}
.bars tr th:first-child{grid-column:1/3;width:auto;border:0;padding-bottom:0}
.bars td{border:0}.bars td:last-child{width:auto}}
@media print{html{font-size:11px}body{max-width:none;padding:0;font-size:11px}nav{display:none}
.wide{overflow:visible;background:none}.wide>svg{min-width:0}figure,tr,h2,h3{break-inside:avoid}
h2,h3,caption{break-after:avoid}@page wide{size:A4 landscape}#records{page:wide}.all{font-size:6.5px}
.sortable td{white-space:normal}.all td{overflow-wrap:anywhere;padding-right:3px}
.sortable.all td:last-child{min-width:0}details::details-content{content-visibility:visible}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css",
                               "2GAbf1r0gaY/sntg43DwovLGpBeAE21O/EzopFhAh10="};
  return style;
}

const Inline& page_script() {
  static const Inline script = {R"js(
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const powers = {p: -12, n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15};
  const key = cell => {
    const text = cell.textContent, x = /^\d+(x\d+)+$/.test(text);
    if (x) return text.split('x').reduce((a, b) => a * b, 1);
    const n = /^(?:[a-z_]\w* )?(-?[\d.]+(?:e[-+]?\d+)?)(?: ([pnumkMGTP])?[A-Za-z\/]*)?(?: .*)?$/.exec(text);
    return n ? n[1] * 10 ** (powers[n[2]] || 0) : text;
  };
  heads.forEach((head, i) => {
    const button = document.createElement('button');
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(h => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const rows = [...body.rows].map(row => [key(row.cells[i]), row]);
      rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1)
        : typeof a === 'number' ? -1 : 1)); // what is no number comes last
      body.append(...rows.map(([, row]) => row));
    };
  });
}
)js",
                                "2arL3BaQ0eO+jFvCDetRYysZFAZivqmekjb8PyKscak="};
  return script;
}

} // namespace ridge::report
