// picture.ts - a drawing as a picture to take away: a canvas as it is, an SVG with the colours that it has on the page.

export function save(name: string, content: Blob): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(content);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

const looks = ["text-anchor", "dominant-baseline", "fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-size", "font-family", "font-weight", "opacity", "marker-end"];

/** A picture has no style sheet: every element gets what it looks like. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const look = getComputedStyle(element);
    for (const name of looks) to[i]?.setAttribute(name, look.getPropertyValue(name).replace(/url\("[^"#]*#/, 'url("#'));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  return image;
}

/** Saves the first drawing in the box, twice as large as it is shown, on the paper of the page. */
export async function savePicture(box: Element, name: string): Promise<void> {
  const drawn = box.querySelector("canvas") ?? box.querySelector<SVGSVGElement>("svg");
  if (!drawn) return;
  const { width, height } = drawn.getBoundingClientRect();
  const most = 16000 / Math.max(width, height, 1); // pixels that every browser allows a canvas
  const scale = Math.min(2, most);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(scale * width), Math.round(scale * height)];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(drawn instanceof SVGSVGElement ? await imageOf(drawn) : drawn, 0, 0, width, height);
  canvas.toBlob((blob) => blob && save(`${name.replaceAll(/[^\w-]+/g, "-")}.png`, blob));
}
