/**
 * Loaded before the program (`node --import`): lets the runner of a chaos run set the clock that the program sees, as
 * far as JavaScript's `Date` is that clock. Timers and `performance.now()` go by a clock that nobody can set, as in
 * life. And it ends the program when the runner is gone, so that nothing is left over from one that was killed.
 */

/** What a runner sends. */
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
// A program that has nothing left to do may end although its runner could speak to it.
process.channel?.unref()
