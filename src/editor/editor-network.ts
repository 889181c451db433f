export const editorNetworks = ['mainnet', 'testnet', 'emulator'] as const
export type EditorNetwork = (typeof editorNetworks)[number]

export function isEditorNetwork(value: unknown): value is EditorNetwork {
  return editorNetworks.some((network) => network === value)
}
