import { readFileSync } from 'node:fs'

const read = (name: string): Buffer => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))

/** A certificate that localhost and 127.0.0.1 signed for themselves, valid until 2126; of no use outside tests. */
export const certificate = { cert: read('localhost-cert.pem'), key: read('localhost-key.pem') }
