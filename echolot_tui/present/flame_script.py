"""The flame graph's own script: zoom, search, and what lies under the pointer."""

from __future__ import annotations

from typing import Final

SCRIPT: Final = r"""
(function () {
  const NS = "http://www.w3.org/2000/svg", W = 1200, ROW = 17, TOP = 74, LETTER = 6.6;
  const STATES = ["grew", "shrank", "quiet", "unresolved", "withheld"];
  const frames = document.getElementById("frames"), told = document.getElementById("told");
  const rows = DATA.rows, names = DATA.names;
  let at = 0, wanted = "";

  function make(kind, attributes, parent) {
    const element = document.createElementNS(NS, kind);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    parent.appendChild(element);
    return element;
  }
  function fill(row) {
    if (row[8] > 2) return "#f4f4f4";
    if (row[8] === 2) return "#dcdcdc";
    const faded = Math.round(205 * (1 - Math.min(Math.abs(row[7]) / 5, 1)));
    return row[8] === 0 ? `rgb(235,${faded},${faded})` : `rgb(${faded},${faded},235)`;
  }
  function signed(value) { return (value < 0 ? "" : "+") + value.toFixed(2); }
  function matches(row) { return wanted !== "" && names[row[4]].toLowerCase().includes(wanted); }
  function explain(row) {
    return `${names[row[4]]} ${signed(row[7])} points: ${row[5].toFixed(2)} % → ${row[6].toFixed(2)} %, ` +
      `${row[9]} → ${row[10]} samples, ${STATES[row[8]]}`;
  }
  function shorten(row, letters) {
    const number = signed(row[7]), text = `${names[row[4]]} ${number}`;
    if (letters >= text.length) return text;
    if (letters > number.length + 3) return text.slice(0, letters - number.length - 2) + "… " + number;
    return letters >= number.length ? number : "";
  }
  function draw() {
    const root = rows[at], left = root[2], scale = W / Math.max(root[3], 1e-9);
    const fresh = document.createElementNS(NS, "g");
    const above = new Set();
    for (let up = root[1]; up >= 0; up = rows[up][1]) above.add(up);
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index];
      let x = (row[2] - left) * scale, width = row[3] * scale;
      if (above.has(index)) { x = 0; width = W; }
      else if (row[0] < root[0] || x + width < 0.01 || x > W - 0.01 || width < 0.5) continue;
      const hit = matches(row);
      const group = make("g", {"class": "n" + (row[8] > 2 ? " u" : "") + (hit ? " f" : "")}, fresh);
      const y = TOP + row[0] * ROW;
      make("rect", {x: x, y: y, width: width, height: ROW - 1, fill: hit ? "#fc3" : fill(row)}, group);
      const text = shorten(row, Math.floor((width - 4) / LETTER));
      if (text) make("text", {x: x + 2, y: y + 12}, group).textContent = text;
      group.dataset.index = index;
    }
    frames.replaceChildren(...fresh.childNodes);
  }
  function indexOf(event) {
    const group = event.target.closest ? event.target.closest("g.n") : null;
    return group ? Number(group.dataset.index) : -1;
  }
  function search() {
    const answer = prompt("Part of a name:", wanted);
    if (answer === null) return;
    wanted = answer.toLowerCase();
    const inside = new Array(rows.length).fill(false);
    let before = 0, after = 0, found = 0;
    rows.forEach((row, index) => {
      const covered = row[1] >= 0 && inside[row[1]];
      const hit = matches(row);
      inside[index] = covered || hit;
      if (hit) found += 1;
      if (hit && !covered) { before += row[5]; after += row[6]; }
    });
    told.textContent = wanted === "" ? "" :
      `${found} frames hold “${answer}”: ${before.toFixed(2)} % → ${after.toFixed(2)} % of the whole`;
    draw();
  }
  frames.addEventListener("mousemove", (event) => {
    const index = indexOf(event);
    if (index >= 0) told.textContent = explain(rows[index]);
  });
  frames.addEventListener("click", (event) => {
    const index = indexOf(event);
    if (index >= 0) { at = index; draw(); }
  });
  document.getElementById("reset").addEventListener("click", () => { at = 0; draw(); });
  document.getElementById("search").addEventListener("click", search);
  window.addEventListener("keydown", (event) => {
    if (event.key === "/" || (event.ctrlKey && event.key === "f")) { event.preventDefault(); search(); }
    if (event.key === "Escape") { at = 0; wanted = ""; told.textContent = ""; draw(); }
  });
  draw();
})();
"""
