"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const found = data.counterexample;
  const steps = found ? found.steps : [];
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  let current = -1;

  // Tabs -------------------------------------------------------------------------------------------------------------
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const panelOf = tab => $(tab.getAttribute("aria-controls"));
  function show(id, focus = false) {
    for (const tab of tabs) {
      const chosen = tab.getAttribute("aria-controls") === id;
      tab.setAttribute("aria-selected", chosen);
      panelOf(tab).hidden = !chosen;
      if (chosen && focus) tab.focus();
    }
    if (id === "automaton") graph.shown();
    if (id === "counterexample") reveal($("steps")?.children[rowOf(current)]);
    if (id === "source") reveal(document.querySelector(".l.now"));
  }
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.getAttribute("aria-controls")));

  function reveal(element) {
    if (element && element.offsetParent !== null) element.scrollIntoView({block: "center"});
  }

  // Source -----------------------------------------------------------------------------------------------------------
  const lineOf = at => at ? $(`L${at.file}-${at.line}`) : null;
  const stepsAt = new Map();
  steps.forEach((step, index) => {
    const line = lineOf(step.at);
    if (!line) return;
    line.classList.add("path");
    if (!stepsAt.has(line)) stepsAt.set(line, []);
    stepsAt.get(line).push(index);
  });
  if (steps.length) lineOf(steps[steps.length - 1].at)?.classList.add("violation");

  function notes(step) {
    const parts = step.values.map(([name, value]) => `${name} = ${value}`);
    if (step.decided && !parts.length) parts.push(step.decided);
    if (step.violates) parts.push("violates the property");
    return parts.join(", ");
  }

  function followSource(step) {
    document.querySelectorAll(".l.now").forEach(line => line.classList.remove("now"));
    // Values stand behind each line of the path as the latest visit before the selected step left them.
    for (const [line, indices] of stepsAt) {
      let latest = -1;
      for (const index of indices) if (index <= current) latest = index;
      let note = line.querySelector(".values");
      if (latest < 0) { note?.remove(); continue; }
      if (!note) line.append(note = make("span", {class: "values"}));
      note.textContent = notes(steps[latest]);
    }
    const line = step && lineOf(step.at);
    if (line) { line.classList.add("now"); reveal(line); }
  }

  function goToLine(at) {
    const line = lineOf(at);
    if (!line) return;
    show("source");
    reveal(line);
    line.classList.remove("flash");
    void line.offsetWidth; // restarts the animation
    line.classList.add("flash");
  }
  for (const code of document.querySelectorAll("#source .code")) code.addEventListener("click", event => {
    const copy = event.target.closest(".copy");
    if (copy) {
      const text = copy.previousElementSibling.textContent;
      const done = () => { copy.textContent = "copied"; setTimeout(() => copy.textContent = "copy", 1200); };
      const byHand = () => {
        const area = make("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
        done();
      };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand); else byHand();
      return;
    }
    const line = event.target.closest(".l");
    const indices = line && event.target.tagName === "B" && stepsAt.get(line);
    if (indices) select(indices.find(index => index > current) ?? indices[0]);
  });
  for (const row of document.querySelectorAll("[data-at]")) row.addEventListener("click", () => {
    const [file, line] = row.dataset.at.split("-").map(Number);
    goToLine({file, line});
  });

  // Counterexample ---------------------------------------------------------------------------------------------------
  const rows = $("steps");
  const hasGap = found && found.left_out > 0;
  const rowOf = index => hasGap && index >= found.left_out_after ? index + 1 : index;
  if (rows) {
    const all = document.createDocumentFragment();
    steps.forEach((step, index) => {
      if (hasGap && index === found.left_out_after) {
        all.append(make("li", {class: "gap"}, `… ${found.left_out} steps are left out …`));
      }
      const row = make("li", {"data-step": index, style: `--depth:${Math.min(step.depth, 16)}`});
      row.append(make("b", {}, String(step.line)), make("code", {}, step.text));
      for (const library of step.folded || []) {
        row.append(make("span", {class: "folded", title: "Steps inside a model of the library"},
          `${library.function}() · ${library.steps} library steps`));
      }
      const text = notes(step);
      if (text) row.append(make("span", {class: step.violates ? "values bad" : "values"}, text));
      if (step.branch === false) row.classList.add("skip");
      if (!step.matters && !step.violates) {
        row.classList.add("aside");
        row.title = "The violation does not depend on this step";
      }
      all.append(row);
    });
    rows.append(all);
    rows.addEventListener("click", event => {
      const row = event.target.closest("[data-step]");
      if (row) select(Number(row.dataset.step));
    });
  }

  // The state after each step: one frame for each open call, and the globals.
  function stateAt(last) {
    const frames = [], globals = new Map();
    for (let index = 0; index <= last; index++) {
      const step = steps[index];
      while (frames.length && frames[frames.length - 1].depth > step.depth) frames.pop();
      let top = frames[frames.length - 1];
      if (!top || top.depth < step.depth || top.function !== step.function) {
        if (top && top.depth === step.depth) frames.pop();
        frames.push(top = {depth: step.depth, function: step.function || "?", values: new Map()});
      }
      top.line = step.line;
      top.step = index;
      for (const [name, value] of step.values) {
        ((step.globals || []).includes(name) ? globals : top.values).set(name, value);
      }
    }
    return {frames, globals};
  }

  // What runs before the program's own entry has a name of ours, which says nothing to a reader.
  const nameOf = frame => frame.function.startsWith("__concord_") ? "(start)" : `${frame.function}()`;

  function table(entries, changed) {
    if (!entries.length) return make("p", {class: "empty"}, "none");
    const body = make("table");
    for (const [name, value] of entries) {
      const row = make("tr", changed.has(name) ? {class: "changed"} : {});
      row.append(make("td", {}, make("code", {}, name)), make("td", {class: "num"}, make("code", {}, value)));
      body.append(row);
    }
    return body;
  }

  function followDetails(step) {
    const {frames, globals} = stateAt(current);
    const changed = new Set(step.values.map(([name]) => name));
    const stack = $("stack");
    stack.replaceChildren();
    for (const frame of [...frames].reverse()) {
      const row = make("li", {"data-step": frame.step, title: "Go to this step"},
        make("code", {}, nameOf(frame)), make("span", {class: "hint"}, ` line ${frame.line}`));
      row.addEventListener("click", () => select(frame.step));
      stack.append(row);
    }
    $("changed").replaceChildren(table(step.values, new Set()));
    const top = frames[frames.length - 1];
    const parts = [make("h4", {}, nameOf(top)), table([...top.values], changed)];
    if (globals.size) parts.push(make("h4", {}, "global"), table([...globals], changed));
    $("variables").replaceChildren(...parts);
  }

  // Search: Enter and Shift-Enter go from match to match.
  const search = $("search");
  let matches = [];
  function find() {
    const wanted = search.value.trim().toLowerCase();
    matches = [];
    steps.forEach((step, index) => {
      const folded = (step.folded || []).map(library => library.function);
      const text = [step.text, step.function || "", String(step.line), notes(step), ...folded].join("\n").toLowerCase();
      const hit = wanted !== "" && text.includes(wanted);
      if (hit) matches.push(index);
      rows.children[rowOf(index)].classList.toggle("hit", hit);
    });
    count();
  }
  function count() {
    const place = matches.indexOf(current);
    $("matches").textContent = search.value.trim() === "" ? ""
      : matches.length === 0 ? "no match"
      : place < 0 ? `${matches.length} matches` : `${place + 1} of ${matches.length}`;
  }
  search?.addEventListener("input", find);
  search?.addEventListener("keydown", event => {
    if (event.key === "Escape") { search.value = ""; find(); search.blur(); return; }
    if (event.key !== "Enter" || !matches.length) return;
    const next = event.shiftKey
      ? [...matches].reverse().find(index => index < current) ?? matches[matches.length - 1]
      : matches.find(index => index > current) ?? matches[0];
    select(next);
  });

  // Automaton --------------------------------------------------------------------------------------------------------
  const graph = (() => {
    const canvas = $("canvas");
    if (!canvas) return {shown() {}, follow() {}, zoom() {}, fit() {}};
    const NS = "http://www.w3.org/2000/svg";
    const svg = (tag, attributes, ...children) => {
      const element = document.createElementNS(NS, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.append(...children);
      return element;
    };
    const passed = steps.flatMap(step => step.locations || []);
    const path = new Set(passed), explored = new Set(data.explored);
    const view = {x: 0, y: 0, scale: 1};
    let drawing = null, chosen = -1, group = null, boxes = [], isFitted = false, now = -1;

    // A smooth line through the points that the layout gives.
    function route(points) {
      let text = `M${points[0]}`;
      if (points.length === 2) return `${text}L${points[1]}`;
      for (let i = 1; i < points.length - 1; i++) {
        const end = i === points.length - 2 ? points[i + 1]
          : [(points[i][0] + points[i + 1][0]) / 2, (points[i][1] + points[i + 1][1]) / 2];
        text += `Q${points[i]} ${end}`;
      }
      return text;
    }

    function draw(number) {
      chosen = number;
      drawing = data.drawings[number];
      isFitted = false;
      $("function").value = String(number);
      $("cut").textContent = drawing.note || "";
      canvas.classList.toggle("states", Boolean(drawing.is_reachability));
      $("automaton").classList.toggle("states", Boolean(drawing.is_reachability));
      group = svg("g", {});
      const blockOf = new Map();
      drawing.blocks.forEach((block, index) => block.locations.forEach(location => blockOf.set(location, index)));
      const onPath = new Set();
      const isMarked = (index, mark) => (drawing.blocks[index].marks || []).includes(mark);
      // Calls in between belong to other drawings: an arrow leads from a box to the next one of this function.
      let before = -1;
      for (const location of passed) {
        const block = blockOf.get(location);
        if (block === undefined) continue;
        onPath.add(`${before}>${block}`);
        before = block;
      }
      for (const arrow of drawing.arrows) {
        const used = drawing.is_reachability
          ? !arrow.is_dashed && isMarked(arrow.from, "path") && isMarked(arrow.to, "path")
          : onPath.has(`${arrow.from}>${arrow.to}`);
        group.append(svg("path", {class: `arrow${used ? " path" : ""}${arrow.is_dashed ? " dashed" : ""}`,
          d: route(arrow.points), "marker-end": used ? "url(#tip-path)" : "url(#tip)"}));
      }
      for (const arrow of drawing.arrows) if (arrow.label) {
        const text = svg("text", {class: "label", x: arrow.label.x, y: arrow.label.y + 4, "text-anchor": "middle"});
        text.textContent = arrow.label.text;
        group.append(text);
      }
      boxes = drawing.blocks.map((block, index) => {
        const classes = ["block", block.kind, ...(block.marks || [])];
        if (!drawing.is_reachability) {
          if (block.locations.some(location => path.has(location))) classes.push("path");
          if (block.locations.some(location => explored.has(location))) classes.push("explored");
        }
        const box = svg("g", {class: classes.join(" "), "data-block": index, transform: `translate(${block.x},${block.y})`});
        const round = block.kind === "loop" ? 14 : block.kind === "plain" ? 3 : 8;
        box.append(svg("rect", {width: block.w, height: block.h, rx: round}));
        block.lines.forEach((line, row) => {
          const text = svg("text", {x: 10, y: 16 + row * 15, class: row === 0 ? "head" : ""});
          text.textContent = line;
          box.append(text);
        });
        group.append(box);
        return box;
      });
      const marker = (id, name) => {
        const tip = svg("marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto"});
        tip.append(svg("path", {d: "M0 0L8 4L0 8z", class: name}));
        return tip;
      };
      const picture = svg("svg", {width: "100%", height: "100%"},
        svg("defs", {}, marker("tip", "tip"), marker("tip-path", "tip path")), group);
      canvas.replaceChildren(picture);
      mark();
      if (canvas.offsetParent !== null) fit();
    }

    function place() {
      group.setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
    }

    function fit() {
      const {clientWidth: width, clientHeight: height} = canvas;
      if (!drawing || !width) return;
      // Smaller than this nothing can be read: then the beginning is shown.
      view.scale = Math.max(Math.min(width / drawing.width, height / drawing.height, 1.25), 0.55);
      view.x = Math.max((width - drawing.width * view.scale) / 2, 8 - 0);
      if (drawing.width * view.scale > width) {
        const entry = drawing.blocks.find(block => block.kind === "entry") || drawing.blocks[0];
        view.x = width / 2 - (entry.x + entry.w / 2) * view.scale;
      }
      view.y = 8;
      isFitted = true;
      place();
      centre();
    }

    // Brings the selected box into sight if it is out of it.
    function centre() {
      const block = drawing?.blocks[now];
      const {clientWidth: width, clientHeight: height} = canvas;
      if (!block || !width) return;
      const x = view.x + (block.x + block.w / 2) * view.scale, y = view.y + (block.y + block.h / 2) * view.scale;
      if (x < 40 || x > width - 40 || y < 30 || y > height - 30) {
        // As near to the middle as the ends of the drawing allow: no more empty space than necessary.
        const within = (start, length, room) => length + 16 <= room ? (room - length) / 2
          : Math.min(8, Math.max(start, room - length - 8));
        view.x = within(view.x + width / 2 - x, drawing.width * view.scale, width);
        view.y = within(view.y + height / 2 - y, drawing.height * view.scale, height);
        place();
      }
    }

    function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
      const scale = Math.min(Math.max(view.scale * factor, 0.05), 4);
      view.x = x - (x - view.x) * scale / view.scale;
      view.y = y - (y - view.y) * scale / view.scale;
      view.scale = scale;
      place();
    }

    function mark() {
      boxes.forEach((box, index) => box.classList.toggle("now", index === now));
    }

    // The state on the error path that the execution has come to at each step: path and execution go through the same
    // locations in the same order, and the path names some of them.
    const statesAt = new Map();
    function statesOf(number) {
      if (!statesAt.has(number)) {
        const blocks = data.drawings[number].blocks;
        const along = blocks.flatMap((block, index) => (block.marks || []).includes("path") ? [index] : []);
        let at = 0;
        statesAt.set(number, steps.map((step, index) => {
          for (const location of step.locations || []) {
            if (at + 1 < along.length && blocks[along[at + 1]].locations.includes(location)) at++;
          }
          // The last step is the violation, whatever the analysis calls the place.
          if (step.violates && along.length) at = along.length - 1;
          return along.length ? along[at] : -1;
        }));
      }
      return statesAt.get(number);
    }

    function follow(step) {
      if (drawing.is_reachability) {
        now = statesOf(chosen)[current] ?? -1;
        mark();
        if (isFitted) centre();
        return;
      }
      const name = step.function;
      let number = drawing.is_whole ? chosen : data.drawings.findIndex(one => !one.is_whole && one.name === name);
      if (number < 0) { now = -1; mark(); return; }
      if (number !== chosen) draw(number);
      const visited = [...(step.locations || [])].reverse();
      now = -1;
      for (const location of visited) {
        now = drawing.blocks.findIndex(block => block.locations.includes(location));
        if (now >= 0) break;
      }
      if (now < 0 && step.at) {
        now = drawing.blocks.findIndex(block => block.at && block.at.line === step.at.line && block.at.file === step.at.file);
      }
      mark();
      if (isFitted) centre();
    }

    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
    }, {passive: false});
    let drag = null;
    canvas.addEventListener("pointerdown", event => {
      drag = {x: event.clientX, y: event.clientY, moved: false, target: event.target.closest("[data-block]")};
    });
    canvas.addEventListener("pointermove", event => {
      if (!drag) return;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      if (!drag.moved) canvas.setPointerCapture(event.pointerId);
      drag.moved = true;
      view.x += dx; view.y += dy;
      drag.x = event.clientX; drag.y = event.clientY;
      place();
    });
    const drop = () => {
      const target = drag && !drag.moved && drag.target;
      drag = null;
      if (target) goToLine(drawing.blocks[Number(target.dataset.block)].at);
    };
    canvas.addEventListener("pointerup", drop);
    canvas.addEventListener("pointercancel", () => drag = null);
    $("function").addEventListener("change", event => {
      now = -1;
      draw(Number(event.target.value));
      if (drawing.is_whole && current >= 0) follow(steps[current]);
      fit();
    });
    $("larger").addEventListener("click", () => zoom(1.25));
    $("smaller").addEventListener("click", () => zoom(0.8));
    $("fit").addEventListener("click", fit);
    draw(0);
    return {shown() { if (!isFitted) fit(); else centre(); }, follow, zoom, fit};
  })();

  // The selected step: every panel follows it --------------------------------------------------------------------------
  function select(index) {
    if (!steps.length) return;
    const next = Math.max(0, Math.min(index, steps.length - 1));
    if (next === current) return;
    rows.children[rowOf(current)]?.classList.remove("now");
    current = next;
    const step = steps[current];
    const row = rows.children[rowOf(current)];
    row.classList.add("now");
    row.setAttribute("aria-current", "step");
    reveal(row);
    $("position").textContent = `step ${current + 1} of ${steps.length}`;
    $("first").disabled = $("back").disabled = current === 0;
    $("last").disabled = $("forward").disabled = current === steps.length - 1;
    followDetails(step);
    followSource(step);
    graph.follow(step);
    count();
  }
  for (const [id, go] of [["first", () => 0], ["back", () => current - 1], ["forward", () => current + 1],
    ["last", () => steps.length - 1]]) $(id)?.addEventListener("click", () => select(go()));

  // Keys and theme -----------------------------------------------------------------------------------------------------
  function theme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  }
  $("theme").addEventListener("click", theme);
  $("help").addEventListener("click", () => $("keys").showModal());
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    if (event.target.matches("input, select, textarea")) return;
    const inGraph = $("automaton")?.hidden === false;
    const act = {
      ArrowRight: () => select(current + 1), ArrowLeft: () => select(current - 1),
      Home: () => select(0), End: () => select(steps.length - 1),
      "/": () => { if (search) { show("counterexample"); search.focus(); } },
      "?": () => $("keys").showModal(), t: theme,
      "+": () => inGraph && graph.zoom(1.25), "-": () => inGraph && graph.zoom(0.8), "0": () => inGraph && graph.fit(),
    }[event.key] || (/^[1-8]$/.test(event.key) && tabs[event.key - 1] && (() => show(tabs[event.key - 1].getAttribute("aria-controls"), true)));
    if (!act) return;
    if ((event.key === "Home" || event.key === "End") && !steps.length) return;
    act();
    event.preventDefault();
  });

  // A link may name a tab: report.html#source.
  const wanted = location.hash.slice(1);
  if (wanted && tabs.some(tab => tab.getAttribute("aria-controls") === wanted)) show(wanted);
  select(steps.length - 1);
})();
