import type { SystemWork } from '../activity.ts'
import { accountCreated, contractEvent, keyAdded } from '../movements/account-events.ts'
import { inventedKey } from '../state/account-key.ts'
import { accountAt } from '../world/account.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'

/** The first block that anything runs in. */
const firstHeight = 1

/** Tells, in the first block, of the contracts that are there from the beginning, and of their accounts. */
export const firstContracts: SystemWork = {
  name: 'first-contracts',
  chunk: ({ height }) =>
    height === firstHeight
      ? [...genesisContracts].flatMap(([index, contracts]) => {
          const account = accountAt(index)
          return [
            accountCreated(account),
            keyAdded(account, 0, inventedKey(account, 0)),
            ...contracts.map((contract) => contractEvent('contractAdded', account, contract)),
          ]
        })
      : [],
}
