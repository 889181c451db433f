import type { Dashboard, SavedQuery } from '../answers.gen.ts'

export type Tile = Dashboard['tiles'][number]

export const maxTiles = 24

export function newTileId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Places the tile at the index of another; unchanged if that does not exist. */
export function moveTile(tiles: readonly Tile[], id: string, to: number): readonly Tile[] {
  const moved = tiles.find((tile) => tile.id === id)
  if (moved === undefined || to < 0 || to >= tiles.length) return tiles
  return tiles.filter((tile) => tile !== moved).toSpliced(to, 0, moved)
}

export function putTile(tiles: readonly Tile[], tile: Tile): readonly Tile[] {
  const isKnown = tiles.some(({ id }) => id === tile.id)
  return isKnown ? tiles.map((each) => (each.id === tile.id ? tile : each)) : [...tiles, tile]
}

/** Whether the stored tile has the result of this one. */
export function hasSameResult(stored: Tile | undefined, { query_id: query, parameters }: Tile): boolean {
  return stored?.query_id === query && JSON.stringify(stored.parameters) === JSON.stringify(parameters)
}

export function tileTitle({ title, query_id: id }: Tile, queries: readonly SavedQuery[]): string {
  return title === '' ? (queries.find((query) => query.id === id)?.name ?? 'Deleted query') : title
}

export const refreshChoices = [30, 60, 300, 900, 3600, 21_600, 86_400] as const

/** `30 seconds`, `1 minute`, `6 hours`; 90 is `90 seconds`. */
export function refreshText(seconds: number): string {
  const [count, unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
