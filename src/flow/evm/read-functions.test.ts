import { expect } from 'chai'
import { encodeAbiValues } from './abi-input.ts'
import { abiSignature } from './abi-signature.ts'
import { readFunctionsOfAbi, readFunctionsOfStandard, revertReason } from './read-functions.ts'

const owner = { name: 'owner', type: 'address' }
const abi = [
  { type: 'constructor', inputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'transfer', inputs: [owner], outputs: [], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'position',
    inputs: [{ name: 'at', type: 'tuple', components: [owner, { name: 'id', type: 'uint8' }] }],
    outputs: [{ type: 'uint256' }, { name: 'open', type: 'bool' }],
    stateMutability: 'view',
  },
  { type: 'function', name: 'version', inputs: [], outputs: [{ type: 'string' }], stateMutability: 'pure' },
  { type: 'error', name: 'NotOwner', inputs: [owner] },
  'not an entry',
]

function reverted(declaration: string, values: readonly string[]): Buffer {
  const { hash, parameters } = abiSignature(declaration)
  const types = parameters.map(({ type }) => type)
  return Buffer.concat([Buffer.from(hash.slice(0, 8), 'hex'), encodeAbiValues(types, values)])
}

describe('read functions of EVM contracts', () => {
  it('are those of the ABI that change no state', () => {
    expect(
      readFunctionsOfAbi(abi).map(({ signature, outputs }) => [signature.canonical, outputs.map(({ type }) => type)]),
    ).to.deep.equal([
      ['position((address,uint8))', ['uint256', 'bool']],
      ['version()', ['string']],
    ])
    const long = { ...(abi[2] as object), inputs: Array.from({ length: 400 }, () => ({ type: 'uint256' })) }
    expect(readFunctionsOfAbi([long])).to.deep.equal([])
  })

  it('are those of a token standard', () => {
    expect(readFunctionsOfStandard(20).map(({ signature }) => signature.hash.slice(0, 8))).to.include.members([
      '70a08231',
      'dd62ed3e',
    ])
    expect(readFunctionsOfStandard(721).map(({ signature }) => signature.canonical)).to.include('ownerOf(uint256)')
    expect(readFunctionsOfStandard(1155).map(({ outputs }) => outputs[0]?.type)).to.include('uint256[]')
    expect(readFunctionsOfStandard(4626)).to.deep.equal([])
  })

  it('have the reasons of reverts', () => {
    const account = `0x${'ab'.repeat(20)}`
    expect(revertReason(reverted('Error(string reason)', ['too\nlow']))).to.equal('too low')
    expect(revertReason(reverted('Error(string reason)', ['x'.repeat(400)]))).to.equal(`${'x'.repeat(300)}…`)
    expect(revertReason(reverted('Panic(uint256 code)', ['17']))).to.equal('panic 17, arithmetic overflow')
    expect(revertReason(reverted('NotOwner(address owner)', [account]), abi)).to.equal(`NotOwner("${account}")`)
    expect(revertReason(reverted('NotOwner(address owner)', [account]))).to.equal(undefined)
    for (const data of ['', '08c379', '08c379a0', '08c379a0ff']) {
      expect(revertReason(Buffer.from(data, 'hex'), abi)).to.equal(undefined)
    }
  })
})
