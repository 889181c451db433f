import { circle } from './svg.ts'

/** A coin with a letter on it. @param hue degrees on the colour wheel */
export function drawCoin(letter: string, hue: number): string {
  return [
    circle(60, 60, 58, `hsl(${hue} 55% 45%)`),
    '<circle cx="60" cy="60" r="46" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="4"/>',
    `<text x="60" y="80" font-family="sans-serif" font-size="58" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text>`,
  ].join('')
}
