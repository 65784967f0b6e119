// Arrows, thumbnails and the left and right keys show another slide of a carousel without scrolling the page. Dots and
// thumbnails mark the slide in view. Without this module, the links and sideways scrolling still reach the slides.

let isListening = false;

/** Starts on a carousel. */
export function attach(carousel) {
  carousel.addEventListener("click", clicked);
  carousel.addEventListener("scroll", () => mark(carousel), { capture: true, passive: true });
  mark(carousel);
  if (isListening) return;
  isListening = true;
  document.addEventListener("keydown", pressed);
}

const slidesOf = (carousel) => [...carousel.querySelectorAll(".stage > ol > li")];

/** The number of the slide in view, from 0. */
function current(carousel) {
  const slides = slidesOf(carousel);
  const left = (slide) => Math.abs(slide.offsetLeft - slides[0].offsetLeft - carousel.querySelector(".stage").scrollLeft);
  return slides.reduce((best, slide, at) => (left(slide) < left(slides[best]) ? at : best), 0);
}

function show(carousel, at) {
  const slides = slidesOf(carousel);
  const slide = slides[Math.min(Math.max(at, 0), slides.length - 1)];
  carousel.querySelector(".stage").scrollLeft = slide.offsetLeft - slides[0].offsetLeft;
  for (const video of carousel.querySelectorAll("video")) if (!slide.contains(video)) video.pause();
}

/** Marks the dot and the thumbnail of the slide in view. */
function mark(carousel) {
  const at = current(carousel);
  carousel.querySelectorAll(".dots i").forEach((dot, number) => dot.classList.toggle("here", number === at));
  carousel.querySelectorAll(".thumbs a").forEach((link, number) => {
    if (number === at) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
}

function clicked(event) {
  const link = event.target.closest("[data-slide]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(event.currentTarget, Number(link.dataset.slide) - 1);
}

/** The left and right keys show another slide of the carousel that has the focus, or else of the first visible carousel. */
function pressed(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (!by || event.repeat || isModified || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("textarea, select, video, [contenteditable], input:not([type=checkbox])")) return;
  const shown = [...document.querySelectorAll(".carousel[data-module]")].filter((carousel) => carousel.offsetParent);
  const carousel = event.target.closest?.(".carousel[data-module]") ?? shown[0];
  if (!carousel) return;
  event.preventDefault();
  show(carousel, current(carousel) + by);
}
