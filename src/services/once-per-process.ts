import type { Lifecycle } from '../base/lifecycle.ts'

/** Opens something once for a process, however many of its services ask for it; all get the same, also where it failed. */
export function oncePerProcess<Context extends { readonly lifecycle: Lifecycle }, Opened>(
  open: (context: Context) => Promise<Opened>,
): (context: Context) => Promise<Opened> {
  const opened = new WeakMap<Lifecycle, Promise<Opened>>()
  return (context) => {
    const known = opened.get(context.lifecycle)
    if (known !== undefined) return known
    const opening = open(context)
    opened.set(context.lifecycle, opening)
    return opening
  }
}
