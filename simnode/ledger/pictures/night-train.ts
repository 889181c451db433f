import { circle, path, rectangle, side } from './svg.ts'

const liveries: Readonly<Record<string, string>> = {
  Blue: '#24478f',
  Bordeaux: '#7a2236',
  Green: '#2f5d46',
  Cream: '#d9c9a3',
}
const lit = '#ffd873'
const dark = '#3b4660'

/** Which of the windows have light. */
const windows: Readonly<Record<string, readonly boolean[]>> = {
  Seat: [true, true, true, true, true],
  Couchette: [true, false, true, false, true],
  Sleeper: [false, false, true, false, false],
  'Dining car': [true, true, true, true, true],
}

const weathers: Readonly<Record<string, () => readonly string[]>> = {
  Clear: () => [
    circle(20, 18, 1, '#fff'),
    circle(48, 10, 1, '#fff'),
    circle(70, 24, 1.3, '#fff'),
    circle(34, 34, 1, '#fff'),
  ],
  Rain: () => [
    path(
      'M12 8l-5 16M36 4l-5 16M60 12l-5 16M84 6l-5 16M108 14l-5 16M24 36l-5 14M72 38l-5 14',
      'none',
      'rgb(190 210 240 / .6)',
      1.5,
    ),
  ],
  Snow: () => Array.from({ length: 14 }, (_, nth) => circle((nth * 37) % 118, (nth * 23) % 60, 1.6, '#f3f6fb')),
  Fog: () => [36, 48, 60].map((y) => rectangle(0, y, side, 6, 'rgb(220 225 235 / .28)')),
}

/** A carriage of a night train under the moon, as its traits say. @param shift -1 to 1: where the moon and the hills are */
export function drawNightTrain(traits: Readonly<Record<string, string>>, shift: number): string {
  const { Livery: livery = '', Carriage: carriage = '', Weather: weather = '' } = traits
  const paint = liveries[livery] ?? '#24478f'
  const hill = Math.round(56 + shift * 14)
  return [
    rectangle(0, 0, side, side, '#141c33'),
    circle(92 + Math.round(shift * 14), 22, 10, '#f4f1de'),
    path(`M0 78Q20 ${hill} 46 74T120 ${126 - hill}V120H0Z`, '#1f2c45'),
    ...(weathers[weather] ?? (() => []))(),
    path('M4 60Q4 54 10 54H120V92H4Z', paint),
    rectangle(4, 82, 116, 3, 'rgb(255 255 255 / .55)'),
    ...(windows[carriage] ?? []).map((isLit, nth) => rectangle(13 + nth * 21, 62, 14, 13, isLit ? lit : dark)),
    ...(carriage === 'Dining car'
      ? [0, 1, 2, 3, 4].map((nth) => path(`M${20 + nth * 21} 75v-5m-3 0h6`, 'none', '#7a4b12', 1.5))
      : []),
    ...[20, 38, 84, 102].map((x) => circle(x, 95, 6, '#0c101c')),
    rectangle(0, 101, side, 2, '#8892a8'),
    rectangle(0, 103, side, 17, '#2b2a2f'),
  ].join('')
}
