/** Where a label stands beside its point, in pixels from it: `dy` grows downwards. */
export interface LabelPlace {
  readonly dx: number;
  readonly dy: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const dotRadius = 7;
const gap = 14;

/** Places for labels of points, in pixels: the first side that covers no point and no other label. Undefined: none; the table has it. */
export function labelPlaces(
  points: readonly { readonly x: number; readonly y: number; readonly text: string }[],
  fontSize: number,
  width: number,
): readonly (LabelPlace | undefined)[] {
  const taken: Box[] = points.map(({ x, y }) => boxAround(x, y, 2 * dotRadius, 2 * dotRadius));
  return points.map(({ x, y, text }, own) => {
    const wide = Math.max(1, text.length) * fontSize * 0.62;
    const aside = gap + wide / 2 - 4;
    const place = [
      { dx: 0, dy: -gap },
      { dx: 0, dy: gap },
      { dx: aside, dy: 0 },
      { dx: -aside, dy: 0 },
    ].find(({ dx, dy }) => {
      const box = boxAround(x + dx, y + dy, wide, fontSize);
      const isInside = box.left >= 0 && box.right <= width;
      return isInside && taken.every((other, index) => index === own || !overlap(box, other));
    });
    if (place !== undefined) taken.push(boxAround(x + place.dx, y + place.dy, wide, fontSize));
    return place;
  });
}

function boxAround(x: number, y: number, wide: number, high: number): Box {
  return { left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2 };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
