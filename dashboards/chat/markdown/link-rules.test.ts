import { expect } from 'chai'
import fc from 'fast-check'
import { linkAllowed } from './link-rules.ts'

const places = {
  origin: 'https://chat.example',
  hosts: ['developers.flow.com', 'docs.example:8443'],
  explorerOrigin: 'http://localhost:8082',
}

describe('where links of an answer may lead', () => {
  for (const href of [
    'https://developers.flow.com',
    'https://developers.flow.com/build/cadence?x=1#y',
    'HTTPS://DEVELOPERS.FLOW.COM/a',
    'https://developers.flow.com:443/',
    'https://docs.example:8443/',
    'https://chat.example/docs',
    '/docs',
    '/docs?a=//b',
    'http://localhost:8082/account/0x1654653399040a61',
  ]) {
    it(`to ${href}`, () => {
      expect(linkAllowed(href, places)).to.equal(true)
    })
  }

  for (const [why, href] of Object.entries({
    'a program': 'javascript:alert(1)',
    'a program in a disguise': 'JaVaScRiPt:alert(1)',
    'a program with a line in it': 'java\nscript:alert(1)',
    data: 'data:text/html,<script>',
    'a file': 'file:///etc/passwd',
    'a blob of this page': 'blob:https://chat.example/1',
    mail: 'mailto:a@developers.flow.com',
    'another host': 'https://evil.example/?q=secret',
    'another host in place of the scheme': '//evil.example/x',
    'two backward slashes': '\\\\evil.example',
    'a slash and a backward one': '/\\evil.example',
    'a tab between slashes': '/\t/evil.example',
    'a user before the host': 'https://developers.flow.com@evil.example/',
    'a user at a host of the list': 'https://me:secret@developers.flow.com/',
    'an empty user': 'https://@developers.flow.com/',
    'a host below': 'https://evil.developers.flow.com/',
    'a host that ends like it': 'https://evildevelopers.flow.com/',
    'a host that begins like it': 'https://developers.flow.com.evil.example/',
    'a dot at the end': 'https://developers.flow.com./',
    'letters that look alike': 'https://dеvelopers.flow.com/',
    'the same in punycode': 'https://xn--dvelopers-8fg.flow.com/',
    'another port': 'https://developers.flow.com:8443/',
    'without HTTPS': 'http://developers.flow.com/',
    'no port where there is one': 'https://docs.example/',
    'the page without HTTPS': 'http://chat.example/',
    'the explorer on another port': 'http://localhost:8083/',
    'three slashes': 'https:///developers.flow.com/',
    'no slashes': 'https:developers.flow.com',
    'one slash': 'https:/developers.flow.com',
    'a backward slash in the host': 'https://developers.flow.com\\@evil.example',
    'a sign that turns the text': 'https://developers.flow.com/\u202Emoc',
    'a sign that is not seen': 'https://developers.flow.com/\u200B',
    nothing: '',
    'a name': 'docs',
    'a place on the page': '#x',
    'a question': '?q=1',
    above: '../x',
    'a space before it': ' https://developers.flow.com',
  })) {
    it(`not to ${why}`, () => {
      expect(linkAllowed(href, places)).to.equal(false)
    })
  }

  it('whatever a browser makes of a text, it is an address of the list', () => {
    const piece = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      'developers.flow.com',
      'evil.example',
      'chat.example',
      'localhost:8082',
      '?',
      '#',
      '%2e',
      '\t',
      'javascript:',
      'a',
    )
    const known = ['https://developers.flow.com', 'https://docs.example:8443', places.origin, places.explorerOrigin]
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (href) => {
          if (!linkAllowed(href, places)) return
          const url = new URL(href, places.origin)
          expect(known).to.include(url.origin)
          expect(url.username + url.password).to.equal('')
        },
      ),
      { numRuns: 5000 },
    )
  })
})
