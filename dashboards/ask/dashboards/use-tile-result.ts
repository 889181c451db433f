import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { queryKeys } from '../api.ts'
import type { TileResult } from '../api.ts'

interface TileResultOptions {
  readonly key: readonly string[]
  readonly read: (signal: AbortSignal) => Promise<TileResult>
  readonly refreshSeconds: number
  readonly isPaused: boolean
}

const minMs = 5000

/** Read again when the cached result expires, while the tab is visible. */
export function useTileResult({ key, read, refreshSeconds, isPaused }: TileResultOptions): UseQueryResult<TileResult> {
  return useQuery({
    queryKey: [...queryKeys.tiles, ...key],
    queryFn: ({ signal }) => read(signal),
    refetchOnWindowFocus: !isPaused,
    refetchInterval: ({ state }) => {
      if (isPaused) return false
      const seconds = state.status === 'success' ? (state.data?.expires_in ?? 0) + 1 : refreshSeconds
      return Math.max(minMs, seconds * 1000)
    },
  })
}
