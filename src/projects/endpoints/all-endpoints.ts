import { deleteProject } from './delete.ts'
import type { Endpoint } from './endpoint.ts'
import { fork } from './fork.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { save } from './save.ts'

/** All that the projects function does, by the name in `endpoint` of its body. */
export const allEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/projects/list', { access: 'session', kind: 'read', run: list }],
  ['/projects/get', { access: 'open', kind: 'read', run: get }],
  ['/projects/save', { access: 'session', kind: 'write', run: save }],
  ['/projects/delete', { access: 'session', kind: 'write', run: deleteProject }],
  ['/projects/fork', { access: 'session', kind: 'write', run: fork }],
])
