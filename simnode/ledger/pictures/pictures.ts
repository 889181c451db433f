import { Random } from '../random.ts'
import { itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import type { Token } from '../world/tokens.ts'
import { drawCoin } from './coin.ts'
import { drawHeron } from './heron.ts'
import { drawNightTrain } from './night-train.ts'
import { pictureAddress, side } from './svg.ts'

type Draw = (traits: Readonly<Record<string, string>>, lean: number) => string

const draws: Readonly<Record<string, Draw>> = { Herons: drawHeron, NightTrains: drawNightTrain }
/** Degrees on the colour wheel. */
const coinHues: Readonly<Record<string, number>> = { FLOW: 155, USDC: 212, PEB: 28 }

/** The picture of an item, as an address. */
export function itemPicture(collection: Collection, id: number): string {
  return pictureAddress(drawItem(collection, id))
}

/** A broad picture of a collection, as an address: some of its items side by side. */
export function bannerPicture(collection: Collection): string {
  const ids = [3, 5, 8, 13]
  const drawn = ids.map((id, nth) => `<g transform="translate(${nth * side} 0)">${drawItem(collection, id)}</g>`)
  return pictureAddress(drawn.join(''), ids.length * side, side)
}

/** The sign of a token, as an address. */
export function tokenPicture({ symbol }: Token): string {
  return pictureAddress(drawCoin(symbol.charAt(0), coinHues[symbol] ?? 0))
}

function drawItem(collection: Collection, id: number): string {
  const { index, name } = collection
  // Not the chance that its traits are drawn from.
  const lean = new Random(id, index).between(-100, 100) / 100
  return draws[name]?.(itemTraits(collection, id), lean) ?? ''
}
