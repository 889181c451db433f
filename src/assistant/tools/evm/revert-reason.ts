import { decodeValues } from './abi/decode-values.ts'

/** First four bytes of `Error(string)` and `Panic(uint256)`. Source: Solidity, "Panic via assert and Error via require". */
const errorSelector = '08c379a0'
const panicSelector = '4e487b71'
const mostReasonCharacters = 1000

const panics: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'a number overflowed',
  '18': 'division by zero',
  '33': 'no such value of an enum',
  '49': 'pop of an empty list',
  '50': 'an index beyond a list',
  '65': 'too much memory',
  '81': 'a function that is not set',
}

/** Why a contract gave up, in words; undefined where it does not say. @param data what it ended with, 0x and hex */
export function revertReason(data: string): string | undefined {
  const selector = data.slice(2, 10)
  const rest = Buffer.from(data.slice(10), 'hex')
  if (selector === errorSelector) {
    const [text] = decodeValues([{ kind: 'string' }], rest) ?? []
    return typeof text === 'string' ? text.slice(0, mostReasonCharacters) : undefined
  }
  if (selector === panicSelector) {
    const [code] = decodeValues([{ kind: 'word', name: 'uint256' }], rest) ?? []
    return typeof code === 'string'
      ? `panic ${code}${panics[code] === undefined ? '' : `, ${panics[code]}`}`
      : undefined
  }
  return selector === '' ? undefined : `an error of its own, 0x${selector}`
}
