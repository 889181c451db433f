import { isObject } from './json-rpc.ts'

/**
 * What of a client goes to the language server, which many share: requests about one document of the client's own, and what resolves an answer to one.
 * Whatever concerns the server as a whole (its settings, its folders, watched files, its end) is not for one of many to say.
 */
const aboutDocument = /^(textDocument\/(?!did|will|publishDiagnostics)\w+(\/\w+)*)$/

const others: ReadonlySet<string> = new Set([
  'completionItem/resolve',
  'codeLens/resolve',
  'codeAction/resolve',
  'documentLink/resolve',
  'inlayHint/resolve',
  'workspace/symbol',
  'workspaceSymbol/resolve',
  'workspace/executeCommand',
  'callHierarchy/incomingCalls',
  'callHierarchy/outgoingCalls',
  'typeHierarchy/supertypes',
  'typeHierarchy/subtypes',
])

/** Commands that only read a document. Others, of a server with a client of the chain, would act in the name of whoever runs it. */
const commands: ReadonlySet<string> = new Set([
  'cadence.server.getEntryPointParameters',
  'cadence.server.getContractInitializerParameters',
  'cadence.server.parseEntryPointArguments',
])

export type RequestRoute = 'document' | 'other' | 'unknown'

/** Whether a request goes to the language server, and whether it has to name a document. */
export function routeOf(method: string): RequestRoute {
  if (aboutDocument.test(method)) return 'document'
  return others.has(method) ? 'other' : 'unknown'
}

/** Whether `workspace/executeCommand` asks for what is allowed. */
export function isAllowedCommand(params: unknown): boolean {
  return isObject(params) && typeof params['command'] === 'string' && commands.has(params['command'])
}

/** Methods by which durations are counted; all others are one label. */
const counted: ReadonlySet<string> = new Set([
  'textDocument/hover',
  'textDocument/completion',
  'textDocument/definition',
  'textDocument/signatureHelp',
  'textDocument/documentSymbol',
  'textDocument/documentHighlight',
  'textDocument/codeAction',
  'textDocument/codeLens',
  'textDocument/inlayHint',
  'textDocument/rename',
  'textDocument/references',
  'textDocument/formatting',
  'textDocument/foldingRange',
  'completionItem/resolve',
  'workspace/executeCommand',
])

/** The label of a method in metrics: there are as many as we say, whatever clients send. */
export function methodLabel(method: string): string {
  return counted.has(method) ? method : 'other'
}
