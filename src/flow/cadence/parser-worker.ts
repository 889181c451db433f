import { readScript } from './read-script.ts'
import type { ScriptRequest } from './read-script.ts'
import { serveParser } from './serve-parser.ts'

await serveParser((parse) => (request: ScriptRequest) => readScript(request, parse))
