import { expect } from 'chai'
import { PathTree } from './path-tree.ts'

function treeOf(...routes: readonly (readonly [method: string, path: string])[]): PathTree<string> {
  const tree = new PathTree<string>()
  for (const [method, path] of routes) tree.add(path, method, path)
  return tree
}

describe('PathTree', () => {
  const tree = treeOf(
    ['GET', '/'],
    ['GET', '/flow/block/{height}'],
    ['GET', '/flow/{kind}/transfer'],
    ['GET', '/flow/block/{height}/{part}'],
    ['GET', '/flow/block/latest'],
    ['POST', '/flow/{kind}/{id}'],
    ['GET', '/files/{path*}'],
    ['GET', '/files/list'],
  )
  const find = (path: string, method = 'GET') => tree.find(path).get(method)

  it('returns parameters by name, decoded', () => {
    expect(find('/flow/block/12')).to.deep.equal({ value: '/flow/block/{height}', params: { height: '12' } })
    expect(find('/flow/block/a%2Fb/%zz')?.params).to.deep.equal({ height: 'a/b', part: '%zz' })
    expect(find('/')).to.deep.equal({ value: '/', params: {} })
  })

  it('prefers literal segments, then parameters, then the rest of a path', () => {
    expect(find('/flow/block/latest')?.value).to.equal('/flow/block/latest')
    expect(find('/flow/block/transfer')?.value).to.equal('/flow/block/{height}')
    expect(find('/flow/ft/transfer')?.params).to.deep.equal({ kind: 'ft' })
    expect(find('/files/list')?.value).to.equal('/files/list')
    expect(find('/files/a/list')?.params).to.deep.equal({ path: 'a/list' })
  })

  it('finds each method by its own best path', () => {
    expect([...tree.find('/flow/block/latest').keys()]).to.have.members(['GET', 'POST'])
    expect(find('/flow/block/latest', 'POST')?.params).to.deep.equal({ kind: 'block', id: 'latest' })
  })

  it('ignores case and a final slash', () => {
    expect(find('/Flow/BLOCK/aB/')?.params).to.deep.equal({ height: 'aB' })
  })

  it('finds nothing for other paths and for empty segments', () => {
    for (const path of ['/flow', '/flow/block', '/flow/block/', '/flow/block//', '/flow//block/1', '/files', '/files/'])
      expect(tree.find(path).size, path).to.equal(0)
  })
})
