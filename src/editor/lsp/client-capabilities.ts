import { pathToFileURL } from 'node:url'
import type { LanguageServerProgram } from '../language-servers/language-server-program.ts'
import { isObject } from './json-rpc.ts'

/** Documents are sent to the channel as changes, whatever the server behind it takes: the channel puts them together. */
const incremental = 2

const markup = ['markdown', 'plaintext']

/** What clients are taken to be able to: one `initialize` is for all of them, and each gets what the server then says. */
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

/** Of the one `initialize` that a language server gets. @param root folder that the folders of all connections are in */
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

/** What a server can do, as clients are told: without what concerns it as a whole, and with changes in place of whole documents. */
export function toldCapabilities(result: unknown): Record<string, unknown> {
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
