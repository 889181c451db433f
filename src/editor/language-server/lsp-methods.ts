import { pathToFileURL } from 'node:url'
import type { LanguageServerProgram } from './find-language-server.ts'
import { isObject, rpcCodes } from './json-rpc.ts'
import type { RpcErrorBody } from './json-rpc.ts'

/** The channel applies changes, whatever the server supports. */
const incremental = 2

const markup = ['markdown', 'plaintext']

/** One `initialize` serves all clients. */
const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: { didSave: false, willSave: false },
    publishDiagnostics: {
      relatedInformation: true,
      versionSupport: true,
      codeDescriptionSupport: true,
      tagSupport: { valueSet: [1, 2] },
    },
    hover: { contentFormat: markup },
    completion: {
      completionItem: {
        snippetSupport: true,
        documentationFormat: markup,
        deprecatedSupport: true,
        commitCharactersSupport: true,
        insertReplaceSupport: false,
      },
      contextSupport: true,
    },
    signatureHelp: {
      signatureInformation: { documentationFormat: markup, parameterInformation: { labelOffsetSupport: true } },
    },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } },
      isPreferredSupport: true,
    },
    rename: { prepareSupport: true },
    foldingRange: { lineFoldingOnly: true },
    definition: {},
    references: {},
    documentHighlight: {},
    codeLens: {},
    documentLink: {},
    inlayHint: {},
    formatting: {},
  },
  workspace: { workspaceEdit: { documentChanges: true }, configuration: true, symbol: {} },
  window: { workDoneProgress: false },
}

export function initializeParams(program: LanguageServerProgram, root: string): unknown {
  const uri = pathToFileURL(root).href
  return {
    processId: process.pid,
    clientInfo: { name: 'flowfarm' },
    rootPath: root,
    rootUri: uri,
    workspaceFolders: null,
    capabilities,
    ...(program.initializationOptions === undefined ? {} : { initializationOptions: program.initializationOptions }),
  }
}

/** Without workspace-wide capabilities, with incremental changes. */
export function exposedCapabilities(result: unknown): Record<string, unknown> {
  const own = isObject(result) && isObject(result['capabilities']) ? result['capabilities'] : {}
  const {
    workspace: _workspace,
    executeCommandProvider: _commands,
    experimental: _experimental,
    positionEncoding: _encoding,
    ...rest
  } = own
  return { ...rest, textDocumentSync: { openClose: true, change: incremental } }
}

/** Requests about the server itself (settings, folders, shutdown) are not passed on. */
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

/** Other commands could act on the chain in the operator's name. */
const commands: ReadonlySet<string> = new Set([
  'cadence.server.getEntryPointParameters',
  'cadence.server.getContractInitializerParameters',
  'cadence.server.parseEntryPointArguments',
])

type RequestRoute = 'document' | 'other' | 'unknown'

export function routeOf(method: string): RequestRoute {
  if (aboutDocument.test(method)) return 'document'
  return others.has(method) ? 'other' : 'unknown'
}

export function isAllowedCommand(params: unknown): boolean {
  return isObject(params) && typeof params['command'] === 'string' && commands.has(params['command'])
}

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

export function methodLabel(method: string): string {
  return counted.has(method) ? method : 'other'
}

/** Requests of a language server are answered here. */
type RequestAnswer = { readonly result: unknown } | { readonly error: RpcErrorBody }

export function answerOf(method: string, params: unknown): RequestAnswer {
  switch (method) {
    case 'workspace/configuration': {
      const items = isObject(params) && Array.isArray(params['items']) ? (params['items'] as unknown[]) : []
      return { result: items.map(() => null) }
    }
    case 'workspace/applyEdit':
      return { result: { applied: false, failureReason: 'Only commands of the editor can make edits.' } }
    case 'window/showDocument':
      return { result: { success: false } }
    case 'client/registerCapability':
    case 'client/unregisterCapability':
    case 'window/workDoneProgress/create':
    case 'window/showMessageRequest':
    case 'workspace/workspaceFolders':
      return { result: null }
    default:
      return /^workspace\/\w+\/refresh$/.test(method)
        ? { result: null }
        : { error: { code: rpcCodes.methodNotFound, message: `Unknown method ${method.slice(0, 100)}.` } }
  }
}
