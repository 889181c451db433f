import { activity } from '../activity.ts'
import type { Activity, Turn } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { evmScripts } from './evm-scripts.ts'
import { relayerOf, signerOf } from './evm-turns.ts'
import type { Direction, SignedKind } from './evm-turns.ts'
import type { EvmUser } from './evm-world.ts'
import { runSigned } from './run-evm.ts'
import type { SignedCall } from './run-evm.ts'

/** Who signs the turn, and who signs what gives it back. */
export interface Signers {
  readonly first: EvmUser
  readonly second: EvmUser
}

/** An activity whose turns are transactions that people sign for the EVM. */
export interface SignedActivity<Memo> {
  readonly name: string
  readonly kind: SignedKind
  readonly perTide: number
  /** Draws what is done. */
  readonly draw: (turn: Turn, signers: Signers) => Memo
  /** Does it to the state, or gives it back. @returns the call that does it */
  readonly call: (turn: Turn, memo: Memo, direction: Direction, signers: Signers) => SignedCall
}

/** The activity of turns that are given back by those whom they were for. */
export function signedActivity<Memo>({ name, kind, perTide, draw, call }: SignedActivity<Memo>): Activity {
  const signersOf = ({ ordinal }: Turn): Signers => ({
    first: signerOf(kind, 'there', ordinal),
    second: signerOf(kind, 'back', ordinal),
  })
  const run = (turn: Turn, memo: Memo, direction: Direction): DraftTransaction =>
    relayed(turn, kind, direction, call(turn, memo, direction, signersOf(turn)))
  return activity<Memo>({
    name,
    perTide,
    act(turn) {
      const memo = draw(turn, signersOf(turn))
      return { transaction: run(turn, memo, 'there'), memo }
    },
    giveBack: (turn, memo) => run(turn, memo, 'back'),
  })
}

/** The transaction with which somebody relays what the user signed whose turn it is. */
export function relayed(turn: Turn, kind: SignedKind, direction: Direction, call: SignedCall): DraftTransaction {
  const events: DraftEvent[] = []
  const signed = runSigned(turn, kind, direction, turn.ordinal, call, events)
  return {
    script: evmScripts.run,
    arguments: [
      {
        type: 'String',
        get value() {
          return signed().toString('hex')
        },
      },
      { type: 'String', value: relayerOf(kind, turn.ordinal).address.toString('hex') },
    ],
    authorizers: [turn.payer],
    gasLimit: 9999,
    computation: 60 + turn.random.below(20),
    events,
  }
}
