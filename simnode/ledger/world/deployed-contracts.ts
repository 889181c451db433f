import { hash } from 'node:crypto'
import type { Account } from './account.ts'
import { collections } from './collections.ts'
import { userOfTurn } from './users.ts'
import { flow, systemAccounts, usdc } from './tokens.ts'

export interface ContractCode {
  readonly name: string
  readonly code: Buffer
}

export interface Import {
  readonly name: string
  readonly account: Account
}

export type Version = 1 | 2

/** The second version adds a part. */
interface Kind {
  readonly name: string
  readonly comment: string
  readonly imports: readonly Import[]
  /** The contract deployed this many turns before. */
  readonly importsEarlier?: number
  readonly first: string
  readonly second: string
  readonly init: string
}

const fungibleToken: Import = { name: 'FungibleToken', account: systemAccounts.fungibleToken }
const nonFungibleToken: Import = { name: 'NonFungibleToken', account: systemAccounts.service }
const items = collections.map(({ name, contract }): Import => ({ name, account: contract }))

const tellWeather = 'self.celsius[place] = celsius; emit Told(place: place, celsius: celsius)'

const kinds: readonly Kind[] = [
  {
    name: 'Bakery',
    comment: 'Bread for dollars, as long as there is some.',
    imports: [fungibleToken, { name: usdc.name, account: usdc.contract }],
    first: `access(all) event Sold(loaves: UInt64, amount: UFix64)
    access(all) var loaves: UInt64
    access(self) let till: @${usdc.name}.Vault

    access(all) fun buy(payment: @${usdc.name}.Vault, loaves: UInt64) {
        pre { loaves <= self.loaves: "There is not so much bread" }
        self.loaves = self.loaves - loaves
        emit Sold(loaves: loaves, amount: payment.balance)
        self.till.deposit(from: <-payment)
    }`,
    second: `access(all) event Baked(loaves: UInt64)
    access(account) fun bake(loaves: UInt64) { self.loaves = self.loaves + loaves; emit Baked(loaves: loaves) }`,
    init: `self.loaves = 100
        self.till <- ${usdc.name}.createEmptyVault(vaultType: Type<@${usdc.name}.Vault>()) as! @${usdc.name}.Vault`,
  },
  {
    name: 'Raffle',
    comment: 'Everybody puts in the same; one gets it all.',
    imports: [fungibleToken, { name: flow.name, account: flow.contract }],
    first: `access(all) event Entered(by: Address, ticket: UInt64)
    access(all) event Drawn(ticket: UInt64)
    access(all) var tickets: UInt64

    access(all) fun enter(by: Address) { self.tickets = self.tickets + 1; emit Entered(by: by, ticket: self.tickets) }`,
    second: 'access(account) fun draw() { emit Drawn(ticket: revertibleRandom<UInt64>(modulo: self.tickets) + 1) }',
    init: 'self.tickets = 0',
  },
  {
    name: 'Garden',
    comment: 'A garden in which everybody may plant.',
    imports: [],
    importsEarlier: 4,
    first: `access(all) event Planted(plant: UInt64, by: Address?)
    access(all) var plants: UInt64

    access(all) fun plant(by: Address?) {
        self.plants = self.plants + 1
        emit Planted(plant: self.plants, by: by)
    }`,
    second: `access(all) event Watered(plant: UInt64, litres: UFix64)
    access(all) fun water(plant: UInt64, litres: UFix64) { emit Watered(plant: plant, litres: litres) }`,
    init: 'self.plants = 0',
  },
  {
    name: 'Library',
    comment: 'Lends items, and remembers to whom.',
    imports: [nonFungibleToken, ...items],
    first: `access(all) event Lent(id: UInt64, to: Address)
    access(all) event Returned(id: UInt64)
    access(all) let readers: {UInt64: Address}

    access(all) fun lend(id: UInt64, to: Address) { self.readers[id] = to; emit Lent(id: id, to: to) }`,
    second: 'access(all) fun undo(id: UInt64) { self.readers.remove(key: id); emit Returned(id: id) }',
    init: 'self.readers = {}',
  },
  {
    name: 'Weather',
    comment: 'What the weather is, as somebody says.',
    imports: [],
    first: `access(all) event Told(place: String, celsius: Fix64)
    access(all) let celsius: {String: Fix64}

    access(all) fun tell(place: String, celsius: Fix64) { ${tellWeather} }`,
    second: 'access(all) view fun at(_ place: String): Fix64? { return self.celsius[place] }',
    init: 'self.celsius = {}',
  },
  {
    name: 'Chess',
    comment: 'Moves of games between two accounts. Who begins is drawn.',
    imports: [],
    importsEarlier: 4,
    first: `access(all) event Moved(game: UInt64, move: String)
    access(all) let moves: {UInt64: [String]}

    access(all) fun play(game: UInt64, move: String) {
        self.moves[game] = (self.moves[game] ?? []).concat([move])
        emit Moved(game: game, move: move)
    }`,
    second: `access(all) event Resigned(game: UInt64)
    access(all) fun resign(game: UInt64) { self.moves.remove(key: game); emit Resigned(game: game) }`,
    init: 'self.moves = {}',
  },
]

/** In rotation; each contract is updated once. */
export function deployer(ordinal: number): Account {
  return userOfTurn(ordinal)
}

export function deployedContract(ordinal: number, version: Version): ContractCode {
  const { comment, imports, importsEarlier, first, second, init } = kindOf(ordinal)
  const name = nameOf(ordinal)
  const earlier = importsEarlier === undefined || importsEarlier > ordinal ? [] : [ordinal - importsEarlier]
  const all = [...imports, ...earlier.map((other): Import => ({ name: nameOf(other), account: deployer(other) }))]
  return {
    name,
    code: Buffer.from(`${importLines(all)}// ${comment}
access(all) contract ${name} {
    ${first}
${
  version === 1
    ? ''
    : `
    ${second}
`
}
    init() {
        ${init}
    }
}
`),
  }
}

export function importLines(imports: readonly Import[]): string {
  const lines = imports.map(({ name, account }) => `import ${name} from 0x${account.hex}\n`)
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}

export const passing: ContractCode = {
  name: 'Passing',
  code: Buffer.from(`// Here today, gone tomorrow.
access(all) contract Passing {
    access(all) let greeting: String
    init() { self.greeting = "Hello" }
}
`),
}

export function codeHash({ code }: ContractCode): Buffer {
  return hash('sha3-256', code, 'buffer')
}

function kindOf(ordinal: number): Kind {
  return kinds[ordinal % kinds.length] as Kind
}

function nameOf(ordinal: number): string {
  return `${kindOf(ordinal).name}${ordinal}`
}
