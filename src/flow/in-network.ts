import { coreContractAddress } from './core-contracts.ts'
import type { Network } from './network.ts'

/**
 * A text with what core contracts are in a network: `0x{FlowToken}` and `A.{FlowToken}` get the account of that contract, a line
 * `import "FlowToken"` is told with its address, as scripts for access nodes need it, and `{network}` is the network in words. What names no
 * core contract stays as it is.
 */
export function inNetwork(text: string, network: Network): string {
  return text
    .replaceAll(/^([ \t]*)import "(\w+)"$/gm, (line, indent: string, name: string) => {
      const address = coreContractAddress(name, network)
      return address === undefined ? line : `${indent}import ${name} from 0x${address}`
    })
    .replaceAll(/(0x|\bA\.)\{(\w+)\}/g, (whole, before: string, name: string) => {
      const address = coreContractAddress(name, network)
      return address === undefined ? whole : `${before}${address}`
    })
    .replaceAll('{network}', network === 'emulator' ? 'this chain, which has the addresses of the emulator' : network)
}
