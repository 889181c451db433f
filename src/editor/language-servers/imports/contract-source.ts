import type { EditorNetwork } from '../../editor-network.ts'

/** Where the code of contracts comes from. */
export interface ContractSource {
  /**
   * All contracts of an account, code by name.
   * @param address 16 hex digits, without 0x
   * @returns undefined where the network has no such account
   * @throws RetryableError while no node answers; the signal's reason
   */
  contractsOf(
    network: EditorNetwork,
    address: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined>
}
