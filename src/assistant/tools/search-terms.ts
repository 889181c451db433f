const translations: Readonly<Record<string, string>> = {
  余额: 'balance',
  交易: 'transaction',
  区块: 'block',
  质押: 'staking',
  委托: 'delegation',
  合约: 'contract',
  账户: 'account',
  帐户: 'account',
  账号: 'account',
  代币: 'token',
  转账: 'transfer',
  转移: 'transfer',
  事件: 'event',
  价格: 'price',
  脚本: 'script',
  资源: 'resource',
  权限: 'access',
  手续费: 'fee',
  费用: 'fee',
  奖励: 'reward',
  节点: 'node',
  查询: 'query',
  钱包: 'wallet',
  地址: 'address',
  密钥: 'key',
  签名: 'signature',
  供应: 'supply',
  持有: 'holder',
  藏品: 'nft',
  接口: 'interface',
  结构: 'struct',
  存储: 'storage',
  能力: 'capability',
  纪元: 'epoch',
  周期: 'epoch',
  限制: 'limit',
  速率: 'rate',
  安全: 'security',
  配置: 'configuration',
  数据库: 'database',
  表: 'table',
  列: 'column',
  错误: 'error',
  索引: 'index',
  部署: 'deploy',
  备份: 'backup',
  性能: 'performance',
  图表: 'chart',
  技能: 'skill',
  参数: 'argument',
  函数: 'function',
  类型: 'type',
  升级: 'upgrade',
  监控: 'metrics',
  订阅: 'subscribe',
  铸造: 'mint',
  销毁: 'burn',
  借用: 'borrow',
  验证: 'verify',
  网络: 'network',
}

const han = /\p{Script=Han}+/gu
const word = /[\p{L}\p{N}]+/gu

/** Words, parts of camelCase and snake_case names, and pairs of Chinese characters. */
export function searchTerms(text: string): string[] {
  const chinese = [...text.matchAll(han)].flatMap(([run]) => pairsOf(run))
  const others = text.replaceAll(han, ' ')
  const words = [...others.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([name]) => {
    const parts = [...name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').matchAll(word)].map(([part]) => part)
    return parts.length > 1 ? [name, ...parts] : parts
  })
  return [...words, ...chinese].map((term) => term.toLowerCase())
}

export function questionTerms(text: string): string[] {
  const translated = Object.entries(translations).flatMap(([chinese, english]) =>
    text.includes(chinese) ? [english] : [],
  )
  return [...searchTerms(text), ...translated]
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run)
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`)
}
