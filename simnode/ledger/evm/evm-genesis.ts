import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { erc1155BatchTransfer, erc20Transfer, erc721Transfer } from './abi.ts'
import { evmAddressLength } from './evm-address.ts'
import type { LogParts } from './evm-receipt.ts'
import {
  coas,
  contractMaker,
  erc20Contracts,
  evmContracts,
  evmUsers,
  firstOwner,
  genesisHoldings,
  itemKinds,
  pictureCount,
} from './evm-world.ts'
import { runDirect } from './run-evm.ts'

const nobody = Buffer.alloc(evmAddressLength)
/** Stands for the code of contracts, which nothing runs. */
const code = Buffer.from('608060405234801561001057600080fd5b5060be8061001f6000396000f3fe', 'hex')
const gasPerContract = 700_000
const gasPerLog = 48_000

/** Makes the contracts, which tell in logs what everybody has at first. Belongs into the first block. */
export function makeContracts(moment: Moment): DraftEvent[] {
  return Object.values(evmContracts).map((contract) => {
    const logs = firstLogs(contract)
    const gasUsed = gasPerContract + gasPerLog * logs.length
    const call = {
      kind: 'deploy',
      from: contractMaker,
      to: undefined,
      input: code,
      value: 0n,
      gasLimit: gasUsed,
    } as const
    return runDirect(moment, call, gasUsed, { logs, contractAddress: contract, returnedData: code })
  })
}

function firstLogs(contract: Buffer): LogParts[] {
  if (erc20Contracts.includes(contract)) {
    return [...evmUsers, ...coas].map(({ address }) => {
      return erc20Transfer(contract, nobody, address, genesisHoldings.erc20)
    })
  }
  if (contract === evmContracts.pictures) {
    return Array.from({ length: pictureCount }, (_, index) => {
      return erc721Transfer(contract, nobody, firstOwner(index + 1), index + 1)
    })
  }
  const amounts = Array.from({ length: itemKinds }, (_, index) => [index + 1, genesisHoldings.items] as const)
  return evmUsers.map(({ address }) => erc1155BatchTransfer(contract, contractMaker, nobody, address, amounts))
}
