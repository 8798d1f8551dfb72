# SHA-256 (FIPS 180-4). A word is its 32 bits, where bits are combined, and a
# number, where words are added.

def _sha256_constants: [
  1116352408, 1899447441, 3049323471, 3921009573, 961987163, 1508970993,
  2453635748, 2870763221, 3624381080, 310598401, 607225278, 1426881987,
  1925078388, 2162078206, 2614888103, 3248222580, 3835390401, 4022224774,
  264347078, 604807628, 770255983, 1249150122, 1555081692, 1996064986,
  2554220882, 2821834349, 2952996808, 3210313671, 3336571891, 3584528711,
  113926993, 338241895, 666307205, 773529912, 1294757372, 1396182291,
  1695183700, 1986661051, 2177026350, 2456956037, 2730485921, 2820302411,
  3259730800, 3345764771, 3516065817, 3600352804, 4094571909, 275423344,
  430227734, 506948616, 659060556, 883997877, 958139571, 1322822218,
  1537002063, 1747873779, 1955562222, 2024104815, 2227730452, 2361852424,
  2428436474, 2756734187, 3204031479, 3329325298];

def _sha256_start: [1779033703, 3144134277, 1013904242, 2773480762,
  1359893119, 2600822924, 528734635, 1541459225];

def _utf8_bytes:
  explode[]
  | if . < 128 then .
    elif . < 2048 then 192 + (. / 64 | floor), 128 + . % 64
    elif . < 65536 then
      224 + (. / 4096 | floor), 128 + (. / 64 | floor) % 64, 128 + . % 64
    else 240 + (. / 262144 | floor), 128 + (. / 4096 | floor) % 64,
      128 + (. / 64 | floor) % 64, 128 + . % 64 end;

def _word_bytes: (16777216, 65536, 256, 1) as $unit | . / $unit | floor % 256;

# The blocks of a text, each as 16 words.
def _sha256_blocks:
  [_utf8_bytes] as $bytes
  | ($bytes | length) as $n
  | $bytes + [128, (range((119 - $n % 64) % 64) | 0)]
    + [$n * 8 | . / 4294967296, . % 4294967296 | floor | _word_bytes]
  | [range(0; length; 4) as $i
      | ((.[$i] * 256 + .[$i + 1]) * 256 + .[$i + 2]) * 256 + .[$i + 3]]
  | range(0; length; 16) as $i | .[$i:$i + 16];

# The bits of a word; $bits are those of each byte.
def _word_bits($bits): reduce _word_bytes as $byte ([]; . + $bits[$byte]);

def _right($n): .[-$n:] + .[:-$n];

# The sum of what FIPS calls the two small sigmas, of two words.
def _sha256_sigmas($x; $y):
  ($x | _right(7)) as $a | ($x | _right(18)) as $b
  | ([0, 0, 0] + $x[:-3]) as $c
  | ($y | _right(17)) as $d | ($y | _right(19)) as $e
  | ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + $y[:-10]) as $f
  | reduce range(32) as $i (0; . * 2 + ($a[$i] + $b[$i] + $c[$i]) % 2
      + ($d[$i] + $e[$i] + $f[$i]) % 2);

# The 64 words of a block.
def _sha256_schedule($bits):
  reduce range(16; 64) as $t ({n: ., b: map(_word_bits($bits))};
    ((.n[$t - 16] + .n[$t - 7] + _sha256_sigmas(.b[$t - 15]; .b[$t - 2]))
      % 4294967296) as $word
    | .n += [$word] | .b += [$word | _word_bits($bits)])
  | .n;

# The large sigma of e, with its choice of f and g.
def _sha256_choice($e; $f; $g):
  ($e | _right(6)) as $a | ($e | _right(11)) as $b | ($e | _right(25)) as $c
  | reduce range(32) as $i (0; . * 2 + ($a[$i] + $b[$i] + $c[$i]) % 2
      + if $e[$i] == 1 then $f[$i] else $g[$i] end);

# The large sigma of a, with the majority of a, b and c.
def _sha256_majority($x; $y; $z):
  ($x | _right(2)) as $a | ($x | _right(13)) as $b | ($x | _right(22)) as $c
  | reduce range(32) as $i (0; . * 2 + ($a[$i] + $b[$i] + $c[$i]) % 2
      + if $x[$i] + $y[$i] + $z[$i] > 1 then 1 else 0 end);

# The next state, of the state and a block.
def _sha256_block($state; $block; $bits; $constants):
  ($block | _sha256_schedule($bits)) as $words
  | reduce range(64) as $t ({n: $state, b: ($state | map(_word_bits($bits)))};
      (.n[7] + $constants[$t] + $words[$t]
        + _sha256_choice(.b[4]; .b[5]; .b[6])) as $first
      | (($first + _sha256_majority(.b[0]; .b[1]; .b[2])) % 4294967296) as $a
      | ((.n[3] + $first) % 4294967296) as $e
      | {n: [$a, .n[0], .n[1], .n[2], $e, .n[4], .n[5], .n[6]],
         b: [($a | _word_bits($bits)), .b[0], .b[1], .b[2],
           ($e | _word_bits($bits)), .b[4], .b[5], .b[6]]})
  | [.n, $state] | transpose | map(add % 4294967296);

def _plain_sha256:
  if type != "string" then error("sha256 takes a string") else . end
  | [range(256) as $byte
      | [(128, 64, 32, 16, 8, 4, 2, 1) as $unit
        | ($byte / $unit | floor) % 2]] as $bits
  | _sha256_constants as $constants
  | reduce _sha256_blocks as $block (_sha256_start;
      _sha256_block(.; $block; $bits; $constants))
  | [.[] | _word_bytes | (. / 16 | floor), . % 16
      | "0123456789abcdef"[.:. + 1]]
  | add;
