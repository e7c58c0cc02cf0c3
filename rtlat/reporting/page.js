"use strict";
// Inflates the plotly.js embedded above, once, and draws every figure of the page. No network is used.
(async () => {
  const places = [...document.querySelectorAll(".figure")];
  const tell = (place, why) => place.insertAdjacentHTML("beforeend", "<p>This figure could not be drawn: " + why + "</p>");
  try {
    if (!window.DecompressionStream) throw new Error("it needs a browser of 2023 or later");
    const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  } catch (error) {
    places.forEach((place) => tell(place, error.message));
    return;
  }
  let drawn = 0;
  for (const place of places) {
    try {
      const figure = JSON.parse(place.querySelector("script").textContent);
      await Plotly.newPlot(place, figure.data, figure.layout, { responsive: true, displaylogo: false });
      drawn += 1;
    } catch (error) {
      tell(place, error.message);
    }
  }
  document.documentElement.dataset.drawn = drawn;
  // Paper is narrower than the screen: scale the drawing as it is, laying it out anew would clip legends.
  window.addEventListener("beforeprint", () => places.forEach((place) => {
    const { width, height } = place._fullLayout || {};
    if (!width) return;
    place.style.setProperty("--ratio", width + " / " + height);
    place.querySelectorAll(".main-svg").forEach((svg) => svg.setAttribute("viewBox", `0 0 ${width} ${height}`));
  }));
  window.addEventListener("afterprint", () => places.forEach((place) =>
    place.querySelectorAll(".main-svg").forEach((svg) => svg.removeAttribute("viewBox"))));
})();
