import { transactionScript } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { Parameter } from '../../kit/code-tokens.ts'

/** Without parameters of `init` it is the script that the wallet describes in words. */
export function deployScript(change: 'add' | 'update', parameters: readonly Parameter[]): string {
  const script = transactionScript(change === 'add' ? 'add-contract' : 'update-contract', 'emulator')
  if (parameters.length === 0) return script
  // Names of parameters could be `name` or `code`.
  const declared = parameters.map(({ type }, at) => `, argument${at}: ${type}`).join('')
  const passed = parameters.map((_, at) => `, argument${at}`).join('')
  return script
    .replace('code: String)', () => `code: String${declared})`)
    .replace('code.utf8)', () => `code.utf8${passed})`)
}
