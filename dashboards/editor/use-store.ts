import { useSyncExternalStore } from 'react'

interface Store<State> {
  readonly state: State
  readonly subscribe: (listener: () => void) => () => void
}

/** What a store has now, and from now on. */
export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, () => store.state)
}
