import { abiSignature } from './abi-signature.ts'
import type { AbiSignature } from './abi-signature.ts'
import { readAbiValues, readAbiWord } from './abi-values.ts'
import type { AbiValue } from './abi-values.ts'
import type { EvmLog } from './evm-logs.ts'

/** Sources: ERC-20, ERC-721, ERC-1155, ERC-2612; WETH9; OpenZeppelin Contracts; Uniswap V2 and V3. */
const functions: ReadonlyMap<string, AbiSignature> = new Map(
  [
    'transfer(address to, uint256 amount)',
    'approve(address spender, uint256 amount)',
    'transferFrom(address from, address to, uint256 amount)',
    'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'mint(address to, uint256 amount)',
    'burn(uint256 amount)',
    'burnFrom(address account, uint256 amount)',
    'safeTransferFrom(address from, address to, uint256 tokenId)',
    'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
    'safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
    'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
    'setApprovalForAll(address operator, bool approved)',
    'safeMint(address to, uint256 tokenId)',
    'deposit()',
    'withdraw(uint256 amount)',
    'transferOwnership(address newOwner)',
    'renounceOwnership()',
    'swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
    'swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
    'swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
    'increaseAllowance(address spender, uint256 addedValue)',
    'decreaseAllowance(address spender, uint256 subtractedValue)',
    'mint(uint256 amount)',
    'burn(address account, uint256 amount)',
    'burn(address account, uint256 id, uint256 amount)',
    'mint(address to, uint256 id, uint256 amount, bytes data)',
    'withdrawTo(address account, uint256 amount)',
    'depositFor(address account, uint256 amount)',
    'claim()',
    'stake(uint256 amount)',
    'upgradeTo(address newImplementation)',
    'upgradeToAndCall(address newImplementation, bytes data)',
    'addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, ' +
      'uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
    'addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, ' +
      'address to, uint256 deadline)',
    'removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, ' +
      'address to, uint256 deadline)',
    'swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  ]
    .map(abiSignature)
    .map((signature) => [signature.hash.slice(0, 8), signature]),
)

/** ERC-20 and ERC-721 share signatures; the number of topics differs. */
const events: ReadonlyMap<string, readonly AbiSignature[]> = Map.groupBy(
  [
    'Transfer(address indexed from, address indexed to, uint256 value)',
    'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
    'Approval(address indexed owner, address indexed spender, uint256 value)',
    'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
    'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
    'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
    'TransferBatch(address indexed operator, address indexed from, address indexed to, ' +
      'uint256[] ids, uint256[] values)',
    'URI(string value, uint256 indexed id)',
    'Deposit(address indexed dst, uint256 wad)',
    'Withdrawal(address indexed src, uint256 wad)',
    'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    'Sync(uint112 reserve0, uint112 reserve1)',
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, ' +
      'address indexed to)',
    'Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, ' +
      'uint128 liquidity, int24 tick)',
    'Upgraded(address indexed implementation)',
  ].map(abiSignature),
  ({ hash }) => hash,
)

const wordBytes = 32
const selectorBytes = 4

export interface DecodedAbi {
  readonly name: string
  readonly signature: string
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly isIndexed: boolean
    readonly value: AbiValue
  }>
}

/** 8 hex digits; undefined if the input is too short. */
export function selectorOfInput(input: Uint8Array): string | undefined {
  return input.length < selectorBytes ? undefined : Buffer.from(input.subarray(0, selectorBytes)).toString('hex')
}

/** Selectors of the common functions with a name, in any case. */
export function selectorsOfName(name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return [...functions].flatMap(([selector, known]) => (known.name.toLowerCase() === wanted ? [selector] : []))
}

/**
 * @param verified of the contract, by its source; else a common one, which the contract may use
 *   differently
 */
export function decodeCall(input: Uint8Array, verified?: AbiSignature): DecodedAbi | undefined {
  const selector = selectorOfInput(input)
  const signature = verified ?? (selector === undefined ? undefined : functions.get(selector))
  return signature === undefined ? undefined : decodeParameters(signature, input.subarray(selectorBytes))
}

/** Also of constructors, whose arguments have no selector. */
export function decodeParameters(signature: AbiSignature, data: Uint8Array): DecodedAbi | undefined {
  const values = readAbiValues(
    signature.parameters.map(({ type }) => type),
    data,
  )
  return values === undefined ? undefined : decoded(signature, values)
}

/** @param verified as for `decodeCall` */
export function decodeLog({ topics, data }: EvmLog, verified?: AbiSignature): DecodedAbi | undefined {
  const [first = '', ...indexed] = topics
  for (const signature of verified === undefined ? (events.get(first) ?? []) : [verified]) {
    const { parameters } = signature
    if (parameters.filter(({ isIndexed }) => isIndexed).length !== indexed.length) continue
    const inData = readAbiValues(
      parameters.filter(({ isIndexed }) => !isIndexed).map(({ type }) => type),
      data,
    )
    if (inData === undefined || (inData.length === 0 && data.length > 0)) continue
    const words = indexed.map((topic) => Buffer.from(topic, 'hex')).filter((word) => word.length === wordBytes)
    let [topic, rest] = [0, 0]
    const values = parameters.map(({ isIndexed, type }) => {
      const word = isIndexed ? words[topic++] : undefined
      return isIndexed ? (word === undefined ? undefined : topicValue(type, word)) : inData[rest++]
    })
    const known = values.filter((value) => value !== undefined)
    if (known.length === values.length) return decoded(signature, known)
  }
  return undefined
}

/** Topics of arrays, texts and tuples are hashes. */
function topicValue(type: string, word: Uint8Array): AbiValue | undefined {
  const isHash = /^(?:bytes|string)$|[\])]$/.test(type)
  return isHash ? `0x${Buffer.from(word).toString('hex')}` : readAbiWord(type, word)
}

function decoded({ name, canonical, parameters }: AbiSignature, values: readonly AbiValue[]): DecodedAbi {
  return {
    name,
    signature: canonical,
    parameters: parameters.map((parameter, i) => ({ ...parameter, value: values[i] ?? '' })),
  }
}
