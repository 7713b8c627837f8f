// Drives an engine through @sabaki/gtp as Sabaki does: pipelined commands to synchronise positions, an analysis that is
// ended by the next command, moves by kata-genmove_analyze. Prints "ok" at the end.
//
//     node sabaki.js ENGINE ARGUMENT...
//
// NODE_PATH names the folder with the package.

const assert = require('assert')
const {ControllerStateTracker} = require('@sabaki/gtp')

const tracker = ControllerStateTracker.fromController(process.argv[2], process.argv.slice(3))
const {controller} = tracker
const play = (sign, vertex) => ({name: 'play', args: [sign, vertex]})

// Sabaki 0.60's parser for a line of kata-analyze. Each segment is a list of keys with one value each, followed by the
// principal variation.
const read = line => line.split(/\s*info\s+/).slice(1).map(text => {
  const pv = text.trim().match(/(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$/)
  assert(pv, `a segment that Sabaki drops: ${text}`)
  const words = text.slice(0, pv.index).trim().split(/\s+/)
  assert.strictEqual(words.pop(), 'pv', text)
  assert.strictEqual(words.length % 2, 0, text)
  const values = new Map()
  for (let i = 0; i < words.length; i += 2) values.set(words[i], words[i + 1])
  assert(/^(pass|[A-Za-z]\d+)$/.test(values.get('move')), text)
  return {visits: +values.get('visits'), winrate: +values.get('winrate'), scoreLead: +values.get('scoreLead')}
})

async function analyse(sign) {
  const lines = []
  let told
  const enough = new Promise(resolve => (told = resolve))
  const analysis = controller.sendCommand({name: 'kata-analyze', args: [sign, '50']}, ({line, end}) => {
    if (!line.startsWith('info ')) return
    lines.push(read(line))
    if (lines.length >= 2) told()
  })
  await enough
  // Command with which Sabaki ends an analysis.
  const next = controller.sendCommand({name: 'protocol_version'})
  assert(!(await analysis).error)
  assert.strictEqual((await next).content, '2')
  for (const segments of lines) {
    assert(segments.length > 0)
    for (const {visits, winrate, scoreLead} of segments) {
      assert(visits > 0 && winrate >= 0 && winrate <= 1 && Number.isFinite(scoreLead))
    }
  }
}

async function move(sign) {
  let vertex = null
  const {error} = await controller.sendCommand({name: 'kata-genmove_analyze', args: [sign, '50']}, ({line}) => {
    if (line.startsWith('info ')) read(line)
    const match = line.trim().match(/^play\s+(.*)$/)
    if (match) vertex = match[1]
  })
  assert(!error && /^([A-T]\d+|pass|resign)$/.test(vertex), vertex)
}

async function main() {
  controller.start()
  const asked = ['name', 'version', 'protocol_version', 'list_commands'].map(name => controller.sendCommand({name}))
  const [name, , protocol, list] = await Promise.all(asked)
  assert.strictEqual(name.content, 'Honinbo')
  assert.strictEqual(protocol.content, '2')
  const commands = list.content.split('\n')
  // Sabaki uses the first analysis command that it finds, and would misread `analyze` and `genmove_analyze`.
  for (const wanted of ['kata-analyze', 'kata-genmove_analyze', 'undo', 'set_free_handicap', 'rectangular_boardsize']) {
    assert(commands.includes(wanted), wanted)
  }
  for (const misread of ['analyze', 'genmove_analyze']) assert(!commands.includes(misread), misread)

  const opening = [play('B', 'D4'), play('W', 'Q16'), play('B', 'D16'), play('W', 'Q4')]
  await tracker.sync({komi: 6.5, boardsize: [19, 19], history: opening})
  await analyse('B')
  // Undoes one move and plays another one.
  await tracker.sync({komi: 6.5, boardsize: [19, 19], history: [...opening.slice(0, 3), play('W', 'R4')]})
  await analyse('B')
  await move('B')
  await move('W')
  const handicap = {name: 'set_free_handicap', args: ['C3', 'G5']}
  await tracker.sync({komi: 0.5, boardsize: [9, 7], history: [handicap, play('W', 'E4'), play('B', 'pass')]})
  await move('W')
  const wrong = await controller.sendCommand({name: 'play', args: ['B', 'Z99']})
  assert(wrong.error && wrong.content.startsWith('syntax error'), wrong.content)
  await controller.stop()
  console.log('ok')
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
