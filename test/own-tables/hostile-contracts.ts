const words = ['class', 'select', 'from', 'user', 'constructor', '__proto__', 'block_height', 'toString', '_']
const scalars = [
  'Int',
  'UInt8',
  'UInt32',
  'UInt64',
  'UFix64',
  'Fix128',
  'Bool',
  'String',
  'Character',
  'Address',
  'Path',
]

const nested = (levels: number): string => `${'{HashableStruct: ['.repeat(levels)}Int${']}'.repeat(levels)}`

/** Contracts with legal but unusual events. */
export const hostileContracts: readonly { readonly id: string; readonly code: string }[] = [
  contract(
    'Keywords',
    [
      `event class(${words.map((word) => `${word}: UInt64`).join(', ')})`,
      ...words.map((word) => `event ${word}_(${word}: Address?)`),
      'event Select(from: Address, to: Address?, order: UInt64, Order: UInt64, order_: UInt64, ORDER: UInt64)',
      'event __proto__(__proto__: String)',
      'event ABCDef(fromUUID: UInt64, nftID: UInt64, ID: UInt64, id: UInt64)',
      'event AbcDef()',
      `event ${'Long'.repeat(30)}(${'field'.repeat(12)}A: Int, ${'field'.repeat(12)}B: Int)`,
    ].map((event) => `access(all) ${event}`),
  ),
  contract(
    'Many',
    Array.from({ length: 200 }, (_, i) => `access(all) event Event${i}(id: UInt64, value: UFix64?)`),
  ),
  contract('Wide', [`access(all) event Wide(${Array.from({ length: 150 }, (_, i) => `f${i}: UInt8`).join(', ')})`]),
  contract('Types', [
    `access(all) event All(${scalars.map((type, i) => `a${i}: ${type}, b${i}: ${type}?, c${i}: [${type}], d${i}: {${type}: ${type}??}`).join(', ')})`,
    `access(all) event Deep(a: ${nested(4)}, b: Int${'?'.repeat(10)}, c: ${'['.repeat(10)}UInt8?${']'.repeat(10)})`,
    'access(all) enum Kind: UInt16 { access(all) case one }',
    'access(all) struct interface Shape {}',
    'access(all) struct Point: Shape { access(all) let x: Fix64; access(all) let next: Point?; access(all) let all: {Kind: [Other]} }',
    'access(all) struct Other { access(all) let points: [Point]; access(all) let class: Type }',
    'access(all) struct string { access(all) let string: string? }',
    `access(all) event Own(kind: Kind, kinds: [Kind?], point: Types.Point, shapes: [{Shape}], s: string, foreign: FungibleToken.Thing,
      foreigns: {Token.Kind: {FungibleToken.I}}, bytes: [UInt8; 32], none: [UInt8; 0], any: AnyStruct, anys: [AnyStruct],
      capability: Capability<&{FungibleToken.Receiver}>?, untyped: Capability, reference: auth(Mutate) &[Int],
      range: InclusiveRange<Int8>, type: Type, types: {String: Type}, path: StoragePath?, f: fun(Int): Bool, unknown: Missing.Type)`,
    'access(all) resource NFT { access(all) event ResourceDestroyed(id: UInt64 = self.id, uuid: UInt64 = self.uuid) }',
    'access(all) resource interface INFT { access(all) event ResourceDestroyed(id: UInt64 = self.id) }',
    'access(all) attachment Extra for NFT { access(all) event ResourceDestroyed(name: String = "a, b)") }',
  ]),
  contract('Comments', [
    `/// It's "quoted": */ \\ \` \${x} 漢字 🦄 event Fake(a: Int)
    /// ${'long '.repeat(100)}
    access(all) /* event No(a: Int) */ event Sold(/* first */ id: UInt64, // last: )
      price: UFix64 /* " */)`,
    `/** Block comment's "text" \u2028 *\\/ end. */ access(all) event Bought(id /* between */ : UInt64,)`,
    `access(all) fun text(): String { return "event Text(a: Int) \\(self.name) \\"" }`,
    `/// 'single' quotes\n access(all) event Quoted()`,
  ]),
]

function contract(name: string, members: readonly string[]): { readonly id: string; readonly code: string } {
  return {
    id: `A.0000000000000001.${name}`,
    code: `import FungibleToken from 0xee82856bf20e2aa6
import Token as Coin, Token from 0x2
import "Crypto"

access(all) contract ${name}: FungibleToken {
${members.join('\n')}
}
`,
  }
}
