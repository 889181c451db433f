import { keccak256 } from './keccak256.ts'

export interface AbiParameter {
  readonly name: string
  readonly type: string
  /** Of an event: whether it is among the topics. */
  readonly isIndexed: boolean
}

/** A function or an event of a contract of the EVM. */
export interface AbiSignature {
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly canonical: string
  /** The Keccak-256 hash of `canonical`, 64 hex digits: an event's first topic, of whose first 8 a call begins. */
  readonly hash: string
  readonly parameters: readonly AbiParameter[]
}

/** @param declaration as in Solidity: `Transfer(address indexed from, address indexed to, uint256 value)` */
export function abiSignature(declaration: string): AbiSignature {
  const [, name = '', list = ''] = /^(\w+)\((.*)\)$/.exec(declaration) ?? []
  const parameters =
    list === ''
      ? []
      : list.split(', ').map((parameter) => {
          const words = parameter.split(' ')
          return { type: words[0] ?? '', name: words.at(-1) ?? '', isIndexed: words.includes('indexed') }
        })
  const canonical = `${name}(${parameters.map(({ type }) => type).join(',')})`
  return { name, canonical, hash: keccak256(Buffer.from(canonical)).toString('hex'), parameters }
}
