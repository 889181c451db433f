import { circle, path, rectangle, side } from './svg.ts'

const plumages: Readonly<Record<string, string>> = {
  'Grey Heron': '#7d8a97',
  'Purple Heron': '#7c5a86',
  'Reef Heron': '#4a5568',
  'Tiger Heron': '#a8713f',
  'Whistling Heron': '#c9b27c',
  'Great Blue Heron': '#5a7ca6',
}
const waters: Readonly<Record<string, string>> = {
  Lagoon: '#4f9d9b',
  'Rice field': '#7fa65a',
  'Tidal flat': '#a79a83',
  'Mill pond': '#5f8266',
  Delta: '#5b86a8',
}
const skies: Readonly<Record<string, readonly [sky: string, light: string, height: number]>> = {
  Dawn: ['#f7d9c4', '#f28f6b', 62],
  Noon: ['#cfe6f5', '#fff3b0', 20],
  Dusk: ['#d9b8d0', '#e2725b', 66],
  Night: ['#2b3552', '#f4f1de', 26],
}
const catches: Readonly<Record<string, string>> = { Minnow: '#cbd5e0', Eel: '#4a4036', 'A golden carp': '#e0a526' }

/** A heron in the water, as its traits say. @param lean -1 to 1 */
export function drawHeron(traits: Readonly<Record<string, string>>, lean: number): string {
  const { Species: species = '', Water: water = '', Hour: hour = '', Catch: caught = '' } = traits
  const plumage = plumages[species] ?? '#7d8a97'
  const [sky, light, height] = skies[hour] ?? ['#cfe6f5', '#fff3b0', 20]
  const fish = catches[caught]
  const sun = Math.round(92 - lean * 10)
  return [
    rectangle(0, 0, side, side, sky),
    circle(sun, height, 12, light),
    rectangle(0, 84, side, 36, waters[water] ?? '#5b86a8'),
    path('M0 92h34M70 100h44M12 110h40', 'none', 'rgb(255 255 255 / .35)', 2),
    `<g transform="rotate(${(lean * 5).toFixed(1)} 56 90)">`,
    path('M52 74 50 104M62 74 63 104', 'none', '#6b5b3e', 2.5),
    path('M30 70Q40 48 66 52Q78 56 72 68Q60 82 30 70Z', plumage),
    path('M30 70Q44 72 58 62Q48 80 30 70Z', 'rgb(0 0 0 / .22)'),
    path('M68 56Q84 50 74 36Q68 24 78 18', 'none', plumage, 6),
    path('M76 13Q84 10 88 17L78 22Q72 18 76 13Z', plumage),
    path('M86 15 108 21 86 20Z', '#d98e32'),
    path('M79 13Q70 8 62 12', 'none', '#20242c', 2.2),
    circle(82, 16, 1.6, '#111'),
    ...(fish === undefined ? [] : [path('M102 22q10-6 14 4q-8 6-14-4l-6 6', fish)]),
    '</g>',
  ].join('')
}
