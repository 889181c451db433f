import { activity } from './activity.ts'
import type { Turn } from './activity.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { moveTokens, burnTokens, mintTokens } from '../state/token-moves.ts'
import type { Account } from '../world/account.ts'
import { drawAmount, drawPerson, personOfTurn, turnsOf } from '../world/people.ts'
import { flow, tokens, usdc } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import type { Random } from '../world/random.ts'

const script = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

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

/** In whole FLOW. */
const maxFlow = 2000

interface FlowSent {
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

function sendFlow(turn: Turn, { from, to, amount }: FlowSent): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, flow, from, to, amount, events)
  return {
    script,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'Address', value: to.address },
    ],
    authorizers: [from],
    gasLimit: 1000,
    computation: 20 + turn.random.below(10),
    events,
  }
}

/** Somebody sends FLOW to somebody else, maxFlow often a little. */
export const flowTransfer = activity<FlowSent>({
  name: 'flow-transfer',
  perCycle: 110,
  act(turn) {
    const { random } = turn
    const memo = { from: turn.payer, to: drawPerson(random, turn.payer), amount: drawAmount(random, maxFlow) }
    return { transaction: sendFlow(turn, memo), memo }
  },
  giveBack: (turn, { from, to, amount }) => sendFlow(turn, { from: to, to: from, amount }),
})

const kinds = tokens.filter((token) => token !== flow)

const tokenScripts = new Map(
  kinds.map((token) => [
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
const maxTokens = 2000

interface TokensSent {
  readonly token: Token
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

function sendTokens(turn: Turn, { token, from, to, amount }: TokensSent): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, token, from, to, amount, events)
  return {
    script: tokenScripts.get(token) as Buffer,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'Address', value: to.address },
    ],
    authorizers: [from],
    gasLimit: 1000,
    computation: 25 + turn.random.below(10),
    events,
  }
}

/** Somebody sends tokens that are not FLOW. */
export const tokenTransfer = activity<TokensSent>({
  name: 'token-transfer',
  perCycle: 40,
  act(turn) {
    const { random, payer } = turn
    const memo = {
      token: random.pick(kinds),
      from: payer,
      to: drawPerson(random, payer),
      amount: drawAmount(random, maxTokens),
    }
    return { transaction: sendTokens(turn, memo), memo }
  },
  giveBack: (turn, { token, from, to, amount }) => sendTokens(turn, { token, from: to, to: from, amount }),
})

const splitImports = `import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79
`
const splitScript = Buffer.from(`${splitImports}
transaction(to: [Address], amounts: [UFix64]) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
        for i, address in to {
            getAccount(address).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
                .deposit(from: <-vault.withdraw(amount: amounts[i]))
        }
    }
}
`)
const gatherScript = Buffer.from(`${splitImports}
transaction(to: Address, amounts: [UFix64]) {
    prepare(one: auth(BorrowValue) &Account, two: auth(BorrowValue) &Account, three: auth(BorrowValue) &Account) {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
        for i, signer in [one, two, three] {
            let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
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

/** Two array types, made once. */
const addresses = arrayOf('Address')
const amounts = arrayOf('UFix64')

/** Somebody sends FLOW to three others at once; they send it back together, each signing. */
export const splitTransfer = activity<{ readonly sender: Account; readonly shares: readonly Share[] }>({
  name: 'split-transfer',
  perCycle: 8,
  act(turn) {
    const { payer, random } = turn
    const events: DraftEvent[] = []
    const shares: Share[] = []
    while (shares.length < 3) {
      const account = drawPerson(random, payer)
      if (shares.some((share) => share.account.index === account.index)) continue
      const amount = drawAmount(random, maxShare)
      moveTokens(turn, flow, payer, account, amount, events)
      shares.push({ account, amount })
    }
    return {
      transaction: {
        script: splitScript,
        arguments: [
          { type: addresses, value: shares.map(({ account }) => account.address) },
          { type: amounts, value: shares.map(({ amount }) => amount) },
        ],
        authorizers: [payer],
        gasLimit: 9999,
        computation: 60 + random.below(10),
        events,
      },
      memo: { sender: payer, shares },
    }
  },
  giveBack(turn, { sender, shares }) {
    const events: DraftEvent[] = []
    for (const { account, amount } of shares) moveTokens(turn, flow, account, sender, amount, events)
    return {
      script: gatherScript,
      arguments: [
        { type: 'Address', value: sender.address },
        { type: amounts, value: shares.map(({ amount }) => amount) },
      ],
      authorizers: shares.map(({ account }) => account),
      gasLimit: 9999,
      computation: 70 + turn.random.below(10),
      events,
    }
  },
})

/** In units of 10^-8. What was minted and not burnt stays for ever. */
const minted = 250_000_000_00n
const burned = 180_000_000_00n

const mintImports = `import FungibleToken from 0xee82856bf20e2aa6
import ${usdc.name} from 0x${usdc.contract.hex}
`
const mintScript = Buffer.from(`${mintImports}
transaction(amount: UFix64, to: Address) {
    prepare(minter: auth(BorrowValue) &Account) {
        let mint = minter.storage.borrow<&${usdc.name}.Minter>(from: /storage/${usdc.symbol}Minter) ?? panic("No minter")
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

function mintDraft(
  turn: Turn,
  script: Buffer,
  amount: bigint,
  to: Account | undefined,
  authorizer: Account,
  events: DraftEvent[],
): DraftTransaction {
  const recipient = to === undefined ? [] : [{ type: 'Address', value: to.address } as const]
  return {
    script,
    arguments: [{ type: 'UFix64', value: amount }, ...recipient],
    authorizers: [authorizer],
    gasLimit: 1000,
    computation: 20 + turn.random.below(5),
    events,
  }
}

/** Dollars are made for one person after the other, who later gives most of them out of the world again. */
export const tokenMint = activity<Account>({
  name: 'token-mint',
  perCycle: 4,
  act(turn) {
    const events: DraftEvent[] = []
    const to = personOfTurn(turn.ordinal)
    mintTokens(turn, usdc, to, minted, events)
    return { transaction: mintDraft(turn, mintScript, minted, to, usdc.contract, events), memo: to }
  },
  giveBack(turn, holder) {
    const events: DraftEvent[] = []
    burnTokens(turn, usdc, holder, burned, events)
    return mintDraft(turn, burnScript, burned, undefined, holder, events)
  },
  lasting: (token, account, turns) => (token === usdc ? BigInt(turnsOf(account, turns)) * (minted - burned) : 0n),
})

/** How much more dollars there are after so many turns, in units of 10^-8. */
export function dollarsMinted(turns: number): bigint {
  return BigInt(turns) * (minted - burned)
}

const sendScript = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

transaction(amount: UFix64, to: Address) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
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
const much = 9_000_000_000_000_000n

function tooMuch(random: Random, payer: Account, balance: bigint): DraftTransaction {
  const asText = (amount: bigint): string =>
    `${amount / 100_000_000n}.${String(amount % 100_000_000n).padStart(8, '0')}`
  return {
    script: sendScript,
    arguments: [
      { type: 'UFix64', value: much },
      { type: 'Address', value: drawPerson(random, payer).address },
    ],
    authorizers: [payer],
    gasLimit: 1000,
    computation: 12,
    events: [],
    error:
      '[Error Code: 1101] error caused by: 1 error occurred:\n\t* transaction execute failed: [Error Code: 1101] ' +
      'cadence runtime error: Execution failed:\nerror: pre-condition failed: Cannot withdraw tokens! The amount ' +
      `requested (${asText(much)}) is greater than the balance of the Vault (${asText(balance)}).\n`,
  }
}

function tooLate(payer: Account, timeMs: number): DraftTransaction {
  return {
    script: panicScript,
    arguments: [{ type: 'UFix64', value: BigInt(Math.floor(timeMs / 1000) - 60) * 100_000_000n }],
    authorizers: [payer],
    gasLimit: 1000,
    computation: 3,
    events: [],
    error:
      '[Error Code: 1101] error caused by: 1 error occurred:\n\t* transaction execute failed: [Error Code: 1101] ' +
      'cadence runtime error: Execution failed:\nerror: panic: Too late, zu spät, 遅すぎる\n',
  }
}

/** What goes wrong: the fee is paid, and nothing else happens. */
export const failure = activity({
  name: 'failure',
  perCycle: 30,
  act({ state, random, payer, timeMs }) {
    const transaction = random.percent(50)
      ? tooMuch(random, payer, state.vaults.balance(flow, payer))
      : tooLate(payer, timeMs)
    return { transaction, memo: undefined }
  },
})
