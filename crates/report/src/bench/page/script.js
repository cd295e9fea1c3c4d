"use strict";
// Tables sort by a click on a heading: numbers as numbers, the rest as text, empty cells last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const [column, heading] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      const value = row => row.cells[column].dataset.sort ?? row.cells[column].textContent;
      const compare = (left, right) => {
        const [a, b] = [value(left), value(right)];
        if (a === "" || b === "") return (a === "") - (b === "");
        const [x, y] = [Number(a), Number(b)];
        return direction * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y);
      };
      body.append(...[...body.rows].sort(compare));
    });
  }
}
// The results are filtered by name and by what a contender answered.
const [text, kind, who] = ["text", "class", "who"].map(id => document.getElementById(id));
function filter() {
  const rows = document.getElementById("results").tBodies[0].rows;
  const wanted = text.value.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const classes = row.dataset.classes.split(",");
    const named = (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase().includes(wanted);
    const asked = who.value === "" ? classes : [classes[Number(who.value)]];
    const answered = kind.value === "" || (kind.value === "differ"
      ? new Set(classes.map(name => name === "correct" || name === "wrong" ? name : "none")).size > 1
      : asked.includes(kind.value));
    row.hidden = !(named && answered);
    shown += !row.hidden;
  }
  document.getElementById("count").textContent = `${shown} of ${rows.length} tasks`;
}
document.getElementById("filter").addEventListener("submit", event => event.preventDefault());
for (const control of [text, kind, who]) control.addEventListener("input", filter);
filter();
// Contenders are chosen by a click: all that is about those left out goes, in every table and plot.
for (const box of document.querySelectorAll("#chooser input")) {
  box.addEventListener("input", () => {
    const left = [...document.querySelectorAll("#chooser input:not(:checked)")].map(other => `of-${other.value}`);
    for (const part of document.querySelectorAll("[class*='of-']"))
      part.classList.toggle("gone", left.some(name => part.classList.contains(name)));
  });
}
