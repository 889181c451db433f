import { expect } from 'chai'
import fc from 'fast-check'
import { ApiError } from '../../platform/errors.ts'
import { routeOf } from './route-of.ts'

function codeOf(target: string): string {
  try {
    return routeOf(target)
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

describe('proxy routes', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    mcp: ['/mcp', '/mcp/', '/mcp?x=1', '/mcp/anything'],
    chat: [
      '/',
      '/?q=/mcp',
      '/assets/page-1a2b.js',
      '/api/chat',
      '/api/chat?x',
      '/api/chat/',
      '/api/chat/settings',
      '/mcpx',
      '/documents',
      '/healthy',
      '/Mcp',
      '/API/v1/ask',
      '/openapi.jsonx',
      '/favicon.ico',
      '/assets/%E4%BD%A0.js',
      '/caf%C3%A9',
      '/.well-known/oauth-protected-resource',
    ],
    ask: [
      '/api',
      '/api/',
      '/api/chats',
      '/api/chatter/x',
      '/api/v1/ask',
      '/api/v1/chat',
      '/api/v1/history?limit=1',
      '/health',
      '/docs',
      '/dashboards/0c4e7d1fa9b85263',
      '/d/5f2c9e0a17b3d684',
      '/docs/',
      '/docs/ask',
      '/assets/ask/index-1a2b.js',
      '/openapi.json',
      '/openapi.yaml',
    ],
    'bad-target': ['http://elsewhere.example/', 'http://127.0.0.1/mcp', '*', '', 'example.org:443', 'api/chat', '?x'],
    'ambiguous-path': [
      '//elsewhere.example/',
      '/api//chat',
      '/api/chat/..',
      '/api/chat/../v1/ask',
      '/./mcp',
      '/..',
      '/.',
      '/api/%2e%2e/mcp',
      '/api/%2E./mcp',
      '/api%2fchat',
      '/api%5Cchat',
      '/api\\chat',
      '/%61pi/chat',
      '/mc%70',
      '/api/chat%00',
      '/x#/mcp',
      '/a%7eb',
      '/%2dx',
      '/line%0d%0abreak',
    ],
  }
  for (const [expected, targets] of Object.entries(cases)) {
    it(`route to ${expected}`, () => {
      for (const target of targets) expect(codeOf(target), target).to.equal(expected)
    })
  }

  it('match the path as a URL parser reads it, for any target', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'api',
        'chat',
        'mcp',
        'health',
        '..',
        '.',
        '',
        '%2e',
        '%2F',
        '%61pi',
        '\\',
        'x',
        '%41',
        '?',
        '#',
        ';',
      ),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const target = `/${pieces.join('/')}`
        const route = codeOf(target)
        // Targets contain no spaces or non-ASCII; `URL` removes or escapes them.
        if (route === 'ambiguous-path' || /[^!-~]/.test(target)) return
        const { pathname } = new URL(`http://proxy.example${target}`)
        // Escaped non-ASCII may be invalid UTF-8, and is in no route.
        expect(codeOf(pathname.replaceAll(/%[0-7][\da-f]/gi, (escaped) => decodeURI(escaped))), target).to.equal(route)
      }),
      { numRuns: 2000, examples: [[['%A0']]] },
    )
  })
})
