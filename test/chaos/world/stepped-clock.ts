/**
 * Preloaded (`node --import`): lets the runner of a chaos run set the program's clock, i.e.
 * JavaScript's `Date`. Timers and `performance.now()` use a monotonic clock and are unaffected.
 * Exits the program when the runner exits, so that a killed runner has no orphans.
 */

/** Message of the runner. */
export interface ClockMessage {
  readonly clockStepMs: number
}

const RealDate = Date
let stepMs = 0
const now = (): number => RealDate.now() + stepMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver): unknown => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})

process.on('message', (message) => {
  stepMs = (message as ClockMessage).clockStepMs
})
process.on('disconnect', () => process.exit(1))
// The IPC channel must not keep an idle program alive.
process.channel?.unref()
