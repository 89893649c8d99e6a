"use strict";
(() => {
  const PAGE = 25;
  const SVG = "http://www.w3.org/2000/svg";
  const DASH = "\u2013";

  // Elements are made, never parsed: what a lesson says cannot become markup.
  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const draw = (name, attributes, ...inside) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };

  const grouped = (number) => String(Math.trunc(number)).replace("-", "\u2212").replace(/\B(?=(\d{3})+$)/g, ",");
  const percent = (share) => {
    const rounded = Math.round(share * 100);
    if (rounded >= 100 && share < 1) return ">99%";
    if (rounded <= 0 && share > 0) return "<1%";
    return rounded + "%";
  };
  const points = (share) => {
    const text = (share * 100).toFixed(1);
    return text.startsWith("-") && Number(text) !== 0 ? "\u2212" + text.slice(1) : "+" + text.replace("-", "");
  };

  const range = (look, [[lower, value, upper], tone]) => {
    const [from, to] = look === "lift" ? [-0.3, 0.3] : [0, 1];
    const x = (share) => 4 + ((Math.min(Math.max(share, from), to) - from) / (to - from)) * 112;
    const show = look === "lift" ? points : percent;
    const base = look === "lift"
      ? draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: 17 })
      : draw("line", { class: "grid", x1: 4, x2: 116, y1: 9, y2: 9 });
    return draw("svg", { class: "range " + tone, viewBox: "0 0 120 18", width: 120, height: 18, role: "img",
        "aria-label": show(lower) + " to " + show(upper) }, base,
      draw("rect", { class: "band", x: x(lower), y: 5.5, width: Math.max(x(upper) - x(lower), 1), height: 7, rx: 3.5 }),
      draw("circle", { class: "dot", cx: x(value), cy: 9, r: 4 }));
  };
  const spark = (values) => {
    const step = 80 / (Math.max(values.length, 2) - 1);
    const spots = values.map((value, place) => [2 + step * place, value]).filter(([, value]) => value !== null)
      .map(([x, value]) => [x, 16 - value * 14]);
    const svg = draw("svg", { class: "spark", viewBox: "0 0 84 18", width: 84, height: 18, role: "img", "aria-label": "trend" });
    if (spots.length > 1) svg.append(draw("polyline", { class: "line", points: spots.map((spot) => spot.join()).join(" ") }));
    if (spots.length) svg.append(draw("circle", { class: "dot", cx: spots.at(-1)[0], cy: spots.at(-1)[1], r: 2.2 }));
    return svg;
  };
  const LOOKS = {
    text: String, lesson: String, id: String, count: grouped, percent, points,
    decimal: (value) => value.toFixed(2),
    chip: ([tone, word]) => make("span", { class: "chip " + tone }, word),
    range: (value) => range("range", value), lift: (value) => range("lift", value), spark,
  };
  const CLASSES = { text: "words", lesson: "lesson", id: "id", chip: "drawn", range: "drawn", lift: "drawn", spark: "drawn" };
  const sortable = (look, value) => {
    if (value === null) return "";
    if (look === "chip") return value[1];
    if (look === "range" || look === "lift") return value[0][1];
    if (look === "spark") return value.findLast((point) => point !== null) ?? "";
    return value;
  };
  const words = (look, value) => (look === "chip" ? value?.[1] : typeof value === "string" ? value : "") ?? "";

  /* A table: rows that stand in the page, and rows that are still data. */
  for (const table of document.querySelectorAll("table.rows")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const columns = heads.map((head) => ({ look: head.dataset.look, why: head.dataset.why, title: head.textContent }));
    const own = columns.findIndex((column) => column.look === "id");
    const records = [...body.rows].map((row) => ({
      row,
      keys: [...row.cells].map((cell, place) => {
        const value = cell.dataset.v;
        return value === "" || ["text", "lesson", "id", "chip"].includes(columns[place].look) ? value : Number(value);
      }),
      text: row.textContent.toLowerCase(),
    }));
    const rest = document.querySelector(`script[data-rows="${table.id}"]`);
    for (const cells of rest ? JSON.parse(rest.textContent) : []) {
      records.push({
        cells,
        keys: cells.map((value, place) => sortable(columns[place].look, value)),
        text: cells.map((value, place) => words(columns[place].look, value)).join(" ").toLowerCase(),
      });
    }
    const build = (record) => {
      const row = make("tr", {});
      record.cells.forEach((value, place) => {
        const { look, why, title } = columns[place];
        const cell = make("td", { class: CLASSES[look] ?? "num", "data-l": title });
        if (value === null) cell.append(DASH);
        else if (why) cell.append(make("a", { class: "fig", href: "#why-" + why, "data-of": own < 0 ? "" : record.cells[own] }, LOOKS[look](value)));
        else cell.append(LOOKS[look](value));
        row.append(cell);
      });
      return row;
    };

    const bar = document.querySelector(`.bar[data-for="${table.id}"]`);
    const pages = document.querySelector(`.pages[data-for="${table.id}"]`);
    let shown = records;
    let at = 0;
    const show = () => {
      const last = Math.max(Math.ceil(shown.length / PAGE) - 1, 0);
      at = Math.min(Math.max(at, 0), last);
      const part = shown.slice(at * PAGE, (at + 1) * PAGE);
      body.replaceChildren(...part.map((record) => (record.row ??= build(record))));
      if (bar) {
        const from = part.length ? at * PAGE + 1 : 0;
        const of = shown.length === records.length ? grouped(records.length) : `${grouped(shown.length)} found`;
        bar.querySelector(".count").textContent = `${grouped(from)}\u2013${grouped(at * PAGE + part.length)} of ${of}`;
      }
      if (pages) {
        pages.hidden = last === 0;
        pages.querySelector("span").textContent = `page ${at + 1} of ${last + 1}`;
        const [back, next] = pages.querySelectorAll("button");
        back.disabled = at === 0;
        next.disabled = at === last;
      }
    };
    pages?.addEventListener("click", (event) => {
      const step = Number(event.target.dataset?.step ?? 0);
      if (step) { at += step; show(); }
    });

    let query = [];
    const filter = () => {
      shown = query.length ? records.filter((record) => query.every((word) => record.text.includes(word))) : records;
      at = 0;
      show();
    };
    bar?.querySelector("input").addEventListener("input", (event) => {
      query = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      filter();
    });

    const order = new Intl.Collator("en", { numeric: true });
    heads.forEach((head, place) => {
      const title = head.textContent;
      const button = make("button", { type: "button" }, title);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const isWord = ["text", "lesson", "id", "chip"].includes(columns[place].look);
        const first = isWord ? "ascending" : "descending";
        const other = isWord ? "descending" : "ascending";
        const way = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way);
        const sign = way === "ascending" ? 1 : -1;
        records.sort((one, two) => {
          const [a, b] = [one.keys[place], two.keys[place]];
          // What has no value comes last, whichever way.
          if (a === "" || b === "") return (a === "") - (b === "");
          return sign * (typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b)));
        });
        filter();
      });
    });
    show();
  }

  /* Every figure opens its explanation. */
  const dialog = document.getElementById("explain");
  const close = dialog.querySelector(".close");
  let opener = null;
  document.addEventListener("click", (event) => {
    const figure = event.target.closest?.("a.fig");
    if (!figure) return;
    const why = document.querySelector(figure.getAttribute("href"));
    if (!why) return;
    event.preventDefault();
    const of = figure.dataset.of;
    dialog.querySelector("h2").textContent = why.querySelector("dt").textContent + (of ? `: ${of}` : "");
    const command = why.dataset.command;
    const quoted = /^[\w.\/:@][\w.\/:@-]*$/.test(of ?? "") ? of : `'${(of ?? "").replaceAll("'", "'\\''")}'`;
    const shown = of ? command.replace("{id}", quoted) : why.querySelector("code").textContent;
    const parts = [...why.querySelectorAll("dd p")].map((part) => part.cloneNode(true));
    parts.find((part) => part.querySelector("code"))?.replaceChildren(make("code", {}, shown));
    dialog.querySelector(".body").replaceChildren(...parts);
    opener = figure;
    dialog.showModal();
    close.focus();
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => opener?.focus());

  /* Themes: the system's, or the other one. */
  const theme = document.getElementById("theme");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; label(); });
  label();
})();
