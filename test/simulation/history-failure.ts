/** What a history that went wrong tells: what is wrong, all that happened, the farm's state, and how to repeat it. */
export class HistoryFailure extends Error {
  readonly seed: number

  constructor(
    seed: number,
    cause: Error,
    details: { readonly events: readonly string[]; readonly state: string; readonly audit: readonly string[] },
  ) {
    super(
      [
        `seed ${seed}: ${cause.message}`,
        '',
        'what happened:',
        ...details.events,
        '',
        'the last of what became of leases:',
        ...details.audit,
        '',
        details.state,
        '',
        `repeat it with: SIMULATION_SEEDS=${seed} npm test -- test/simulation/rebuild-equivalence.test.ts`,
        'The seed decides what happens, but not when exactly the servers see it: SIMULATION_TIMES=20 repeats it as often.',
      ].join('\n'),
      { cause },
    )
    this.name = 'HistoryFailure'
    this.seed = seed
  }
}
