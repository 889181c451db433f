import { Random } from '../world/random.ts'
import { itemTraits, itemName } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import type { Token } from '../world/tokens.ts'
import type { CollectionMetadata, ItemMetadata, TokenMetadata } from './script-state.ts'

export const side = 120

/** A data URL, visible offline. @param drawing SVG elements */
function pictureAddress(drawing: string, width = side, height = side): string {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${drawing}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`
}

export function rectangle(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`
}

export function circle(x: number, y: number, radius: number, fill: string): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`
}

export function path(data: string, fill: string, stroke = 'none', strokeWidth = 0): string {
  const line =
    stroke === 'none'
      ? ''
      : ` stroke="${stroke}" stroke-width="${strokeWidth}" stroke-linecap="round" stroke-linejoin="round"`
  return `<path d="${data}" fill="${fill}"${line}/>`
}

/** @param hue degrees on the colour wheel */
export function drawCoin(letter: string, hue: number): string {
  return [
    circle(60, 60, 58, `hsl(${hue} 55% 45%)`),
    '<circle cx="60" cy="60" r="46" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="4"/>',
    `<text x="60" y="80" font-family="sans-serif" font-size="58" font-weight="700" ` +
      `text-anchor="middle" fill="#fff">${letter}</text>`,
  ].join('')
}

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

/** @param lean -1 to 1 */
function drawHeron(traits: Readonly<Record<string, string>>, lean: number): string {
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

const liveries: Readonly<Record<string, string>> = {
  Blue: '#24478f',
  Bordeaux: '#7a2236',
  Green: '#2f5d46',
  Cream: '#d9c9a3',
}
const lit = '#ffd873'
const dark = '#3b4660'

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

/** @param shift -1 to 1 */
function drawNightTrain(traits: Readonly<Record<string, string>>, shift: number): string {
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

type Draw = (traits: Readonly<Record<string, string>>, lean: number) => string

const draws: Readonly<Record<string, Draw>> = { Herons: drawHeron, NightTrains: drawNightTrain }
/** Degrees on the colour wheel. */
const coinHues: Readonly<Record<string, number>> = { FLOW: 155, USDC: 212, PEB: 28 }

export function itemPicture(collection: Collection, id: number): string {
  return pictureAddress(drawItem(collection, id))
}

export function bannerPicture(collection: Collection): string {
  const ids = [3, 5, 8, 13]
  const drawn = ids.map((id, nth) => `<g transform="translate(${nth * side} 0)">${drawItem(collection, id)}</g>`)
  return pictureAddress(drawn.join(''), ids.length * side, side)
}

export function tokenPicture({ symbol }: Token): string {
  return pictureAddress(drawCoin(symbol.charAt(0), coinHues[symbol] ?? 0))
}

function drawItem(collection: Collection, id: number): string {
  const { index, name } = collection
  const lean = new Random(id, index).between(-100, 100) / 100
  return draws[name]?.(itemTraits(collection, id), lean) ?? ''
}

/** Links lead nowhere. */
const site = 'https://simulated.example.org'

const tokenTexts: Readonly<Record<string, string>> = {
  FLOW: 'Pays for transactions and storage, and is staked to run the network.',
  USDC: 'One is one dollar of the simulated world: minted against deposits, burnt when they are taken out.',
  PEB: 'Small, round, and of no use but to be given to each other.',
}
const collectionTexts: Readonly<Record<string, string>> = {
  Herons: 'Wading birds of all waters, each at its hour, most of them with nothing in the beak.',
  NightTrains: 'Carriages that go to sleep in one language and wake up in another.',
}

/** @param totalSupply decimal text with eight decimals */
export function tokenMetadata(token: Token, totalSupply: string): TokenMetadata {
  const { title, symbol, storagePath, receiverPath, balancePath } = token
  const page = `${site}/tokens/${symbol}`
  return {
    name: title,
    symbol,
    description: tokenTexts[symbol] ?? title,
    externalUrl: page,
    logo: tokenPicture(token),
    socials: { site: page },
    vaultPath: storagePath,
    receiverPath,
    balancePath,
    totalSupply,
  }
}

export function collectionMetadata(collection: Collection): CollectionMetadata {
  const { name, title, storagePath, publicPath } = collection
  const page = `${site}/collections/${name}`
  return {
    name: title,
    description: collectionTexts[name] ?? title,
    externalUrl: page,
    squareImage: itemPicture(collection, 1),
    bannerImage: bannerPicture(collection),
    socials: { site: page },
    storagePath,
    publicPath,
  }
}

const rarities: Readonly<Record<string, string>> = {
  'A golden carp': 'Legendary',
  Eel: 'Uncommon',
  'Dining car': 'Rare',
  Snow: 'Uncommon',
  '東京 – 出雲': 'Rare',
}

export function itemMetadata(collection: Collection, id: number, uuid: number): ItemMetadata {
  const { name, title } = collection
  const traits = Object.entries(itemTraits(collection, id)).map(([trait, value]) => ({ name: trait, value }))
  const rarity = traits.map(({ value }) => rarities[value]).find((found) => found !== undefined) ?? 'Common'
  return {
    uuid: BigInt(uuid),
    name: itemName(collection, id),
    description: `Number ${id} of the ${title}.`,
    thumbnail: itemPicture(collection, id),
    externalUrl: `${site}/collections/${name}/${id}`,
    serialNumber: BigInt(id),
    edition: { name: title, number: BigInt(id) },
    rarity: { description: rarity },
    traits,
  }
}
