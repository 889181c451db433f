import { ufix64Text } from '../../../src/flow/tokens/ufix64.ts'
import { activity, executionError, tokenImports } from './activity.ts'
import type { Activity, Turn } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { moveTokens, burnTokens, mintTokens } from '../state/token-moves.ts'
import type { Account } from '../world/account.ts'
import { drawAmount, drawUser, userOfTurn, turnsOf } from '../world/users.ts'
import { flow, tokens, usdc } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import type { Random } from '../world/random.ts'

const flowScript = Buffer.from(`${tokenImports}
transaction(amount: UFix64, to: Address) {
    let sent: @{FungibleToken.Vault}

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        self.sent <- vault.withdraw(amount: amount)
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
            ?? panic("The recipient cannot receive FLOW")
        receiver.deposit(from: <-self.sent)
    }
}
`)

const otherTokens = tokens.filter((token) => token !== flow)
const tokenScripts = new Map(
  otherTokens.map((token) => [
    token,
    Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import ${token.name} from 0x${token.contract.hex}

transaction(amount: UFix64, to: Address) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &${token.name}.Vault>(from: ${token.storagePath})
            ?? panic("The signer has no vault for ${token.symbol}")
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(${token.receiverPath})
            ?? panic("The recipient cannot receive ${token.symbol}")
        receiver.deposit(from: <-vault.withdraw(amount: amount))
    }
}
`),
  ]),
)

/** In whole tokens. */
const maxSent = 2000

interface Sent {
  readonly token: Token
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

function send(turn: Turn, { token, from, to, amount }: Sent): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, token, from, to, amount, events)
  return {
    script: tokenScripts.get(token) ?? flowScript,
    arguments: [argument.ufix64(amount), argument.address(to)],
    authorizers: [from],
    gasLimit: 1000,
    computation: (token === flow ? 20 : 25) + turn.random.below(10),
    events,
  }
}

function transferActivity(name: string, perCycle: number, tokenOf: (random: Random) => Token): Activity {
  return activity<Sent>({
    name,
    perCycle,
    act(turn) {
      const { random, payer } = turn
      const token = tokenOf(random)
      const memo = { token, from: payer, to: drawUser(random, payer), amount: drawAmount(random, maxSent) }
      return { transaction: send(turn, memo), memo }
    },
    undo: (turn, { token, from, to, amount }) => send(turn, { token, from: to, to: from, amount }),
  })
}

export const flowTransfer = transferActivity('flow-transfer', 110, () => flow)
export const tokenTransfer = transferActivity('token-transfer', 40, (random) => random.pick(otherTokens))

const vaultType = 'auth(FungibleToken.Withdraw) &FlowToken.Vault'
const splitScript = Buffer.from(`${tokenImports}
transaction(to: [Address], amounts: [UFix64]) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<${vaultType}>(from: /storage/flowTokenVault)!
        for i, address in to {
            getAccount(address).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
                .deposit(from: <-vault.withdraw(amount: amounts[i]))
        }
    }
}
`)
const returnScript = Buffer.from(`${tokenImports}
transaction(to: Address, amounts: [UFix64]) {
    prepare(one: auth(BorrowValue) &Account, two: auth(BorrowValue) &Account, three: auth(BorrowValue) &Account) {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
        for i, signer in [one, two, three] {
            let vault = signer.storage.borrow<${vaultType}>(from: /storage/flowTokenVault)!
            receiver.deposit(from: <-vault.withdraw(amount: amounts[i]))
        }
    }
}
`)

/** In whole FLOW, for each. */
const maxShare = 100

interface Share {
  readonly account: Account
  readonly amount: bigint
}

export const splitTransfer = activity<{ readonly sender: Account; readonly shares: readonly Share[] }>({
  name: 'split-transfer',
  perCycle: 8,
  act(turn) {
    const { payer, random } = turn
    const events: DraftEvent[] = []
    const shares: Share[] = []
    while (shares.length < 3) {
      const account = drawUser(random, payer)
      if (shares.some((share) => share.account.index === account.index)) continue
      const amount = drawAmount(random, maxShare)
      moveTokens(turn, flow, payer, account, amount, events)
      shares.push({ account, amount })
    }
    return {
      transaction: {
        script: splitScript,
        arguments: [
          argument.addresses(shares.map(({ account }) => account)),
          argument.ufix64s(shares.map(({ amount }) => amount)),
        ],
        authorizers: [payer],
        gasLimit: 9999,
        computation: 60 + random.below(10),
        events,
      },
      memo: { sender: payer, shares },
    }
  },
  undo(turn, { sender, shares }) {
    const events: DraftEvent[] = []
    for (const { account, amount } of shares) moveTokens(turn, flow, account, sender, amount, events)
    return {
      script: returnScript,
      arguments: [argument.address(sender), argument.ufix64s(shares.map(({ amount }) => amount))],
      authorizers: shares.map(({ account }) => account),
      gasLimit: 9999,
      computation: 70 + turn.random.below(10),
      events,
    }
  },
})

/** In units of 10^-8; the difference stays for ever. */
const minted = 250_000_000_00n
const burned = 180_000_000_00n

const mintImports = `import FungibleToken from 0xee82856bf20e2aa6
import ${usdc.name} from 0x${usdc.contract.hex}
`
const minterPath = `/storage/${usdc.symbol}Minter`
const mintScript = Buffer.from(`${mintImports}
transaction(amount: UFix64, to: Address) {
    prepare(minter: auth(BorrowValue) &Account) {
        let mint = minter.storage.borrow<&${usdc.name}.Minter>(from: ${minterPath}) ?? panic("No minter")
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(${usdc.receiverPath})
            ?? panic("The recipient cannot receive ${usdc.symbol}")
        receiver.deposit(from: <-mint.mintTokens(amount: amount))
    }
}
`)
const burnScript = Buffer.from(`${mintImports}import Burner from 0xf8d6e0586b0a20c7

transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &${usdc.name}.Vault>(from: ${usdc.storagePath})
            ?? panic("The signer has no vault for ${usdc.symbol}")
        Burner.burn(<-vault.withdraw(amount: amount))
    }
}
`)

function supplyChange(turn: Turn, draft: Pick<DraftTransaction, 'script' | 'arguments' | 'authorizers' | 'events'>) {
  return { ...draft, gasLimit: 1000, computation: 20 + turn.random.below(5) }
}

export const tokenMint = activity<Account>({
  name: 'token-mint',
  perCycle: 4,
  act(turn) {
    const events: DraftEvent[] = []
    const to = userOfTurn(turn.ordinal)
    mintTokens(turn, usdc, to, minted, events)
    const transaction = supplyChange(turn, {
      script: mintScript,
      arguments: [argument.ufix64(minted), argument.address(to)],
      authorizers: [usdc.contract],
      events,
    })
    return { transaction, memo: to }
  },
  undo(turn, holder) {
    const events: DraftEvent[] = []
    burnTokens(turn, usdc, holder, burned, events)
    const given = [argument.ufix64(burned)]
    return supplyChange(turn, { script: burnScript, arguments: given, authorizers: [holder], events })
  },
  lasting: (token, account, turns) => (token === usdc ? BigInt(turnsOf(account, turns)) * (minted - burned) : 0n),
})

/** By number of turns, in units of 10^-8. */
export function dollarsMinted(turns: number): bigint {
  return BigInt(turns) * (minted - burned)
}

const sendScript = Buffer.from(`${tokenImports}
transaction(amount: UFix64, to: Address) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<${vaultType}>(from: /storage/flowTokenVault)!
        getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
            .deposit(from: <-vault.withdraw(amount: amount))
    }
}
`)
const panicScript = Buffer.from(`transaction(deadline: UFix64) {
    prepare(signer: &Account) {}
    execute {
        if getCurrentBlock().timestamp > deadline { panic("Too late, zu spät, 遅すぎる") }
    }
}
`)
const excessive = 9_000_000_000_000_000n

type Failure = Pick<DraftTransaction, 'script' | 'arguments' | 'computation' | 'error'>

function excessiveTransfer(random: Random, payer: Account, balance: bigint): Failure {
  return {
    script: sendScript,
    arguments: [argument.ufix64(excessive), argument.address(drawUser(random, payer))],
    computation: 12,
    error: executionError(
      `pre-condition failed: Cannot withdraw tokens! The amount requested (${ufix64Text(excessive)}) is greater ` +
        `than the balance of the Vault (${ufix64Text(balance)}).`,
    ),
  }
}

function lateTransaction(timeMs: number): Failure {
  return {
    script: panicScript,
    arguments: [argument.ufix64(BigInt(Math.floor(timeMs / 1000) - 60) * 100_000_000n)],
    computation: 3,
    error: executionError('panic: Too late, zu spät, 遅すぎる'),
  }
}

export const failure = activity({
  name: 'failure',
  perCycle: 30,
  act({ state, random, payer, timeMs }) {
    const failed = random.percent(50)
      ? excessiveTransfer(random, payer, state.vaults.balance(flow, payer))
      : lateTransaction(timeMs)
    const transaction = { ...failed, authorizers: [payer], gasLimit: 1000, events: [] }
    return { transaction, memo: undefined }
  },
})
