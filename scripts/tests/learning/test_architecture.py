"""Tests of architecture texts."""

import unittest

from learning.architecture import (Attention, ArchitectureError, FeedForward, MAX_BLOCKS, Nested, Residual, check_blocks,
                                   parse_blocks)
from learning.net_config import NetConfig, NetError

ORDINARY, POOLING = Residual(pooling=False), Residual(pooling=True)


class ArchitectureTest(unittest.TestCase):
    def test_texts_parse_to_blocks(self):
        expected = {
            "ordinary": (ORDINARY,),
            "2*(ordinary, pooling)": (ORDINARY, POOLING, ORDINARY, POOLING),
            "attention6": (Attention(6, 6, None),),
            "attention6/3@100": (Attention(6, 3, 100),),
            "ffn512,3*ordinary": (FeedForward(512), ORDINARY, ORDINARY, ORDINARY),
            "nested96(ordinary,attention3,ffn256)": (Nested(96, (ORDINARY, Attention(3, 3, None), FeedForward(256))),),
            "2*nested8(nested4(2*ffn4))": 2 * (Nested(8, (Nested(4, (FeedForward(4), FeedForward(4))),)),),
            "((ordinary))": (ORDINARY,),
            f"{MAX_BLOCKS}*ordinary": MAX_BLOCKS * (ORDINARY,),
        }
        for text, blocks in expected.items():
            self.assertEqual(parse_blocks(text), blocks)
            self.assertEqual(parse_blocks(",".join(map(str, blocks))), blocks)

    def test_invalid_texts_name_the_position(self):
        expected = {
            "": "expected a block .*, found the end",
            "conv": "expected a block .*, found 'conv' at character 1",
            "ordinary pooling": "expected ',' or the end, found 'pooling' at character 10",
            "ordinary,": "expected a block .*, found the end",
            "3ordinary": r"expected '\*', found 'ordinary' at character 2",
            "0*ordinary": r"a repetition count \(1 to 256\), found '0'",
            "attention": "the number of heads .*, found the end",
            "attention6/": "the number of key/value heads .*, found the end",
            "attention6@x": "the base of the rotation angles .*, found 'x'",
            "ffn3000": r"the number of hidden units \(1 to 2048\), found '3000' at character 4",
            "ffn07": "the number of hidden units .*, found '07'",
            "nested96": r"expected '\(', found the end",
            "nested96()": r"expected a block .*, found '\)'",
            "nested96(ordinary": r"expected '\)', found the end",
            "5*(((((ordinary)))))": "at most 4 levels of parentheses",
            "(" * 5000: "at most 4 levels of parentheses",
            "257*ordinary": "a repetition count",
            "2*(200*ordinary)": "at most 256 blocks, found 400",
            "200*ordinary,200*ordinary": "at most 256 blocks, found 400",
        }
        for text, message in expected.items():
            with self.subTest(text=text[:30]), self.assertRaisesRegex(ArchitectureError, message):
                parse_blocks(text)

    def test_heads_must_fit_the_channels(self):
        check_blocks(parse_blocks("attention3,nested8(attention4/2)"), 12)
        for text, message in {"attention5": "12 channels cannot be divided into 5 heads", "attention12": "even width",
                              "attention6/4": "4 key/value heads do not divide 6", "nested6(attention4)": "6 channels"}.items():
            with self.assertRaisesRegex(ArchitectureError, message):
                check_blocks(parse_blocks(text), 12)
        with self.assertRaisesRegex(NetError, "blocks: attention5"):
            NetConfig(4, 2, 12, ["attention5"])

    def test_configuration_survives_json(self):
        plain = NetConfig(4, 2, 6, ["ordinary", "pooling"])
        self.assertEqual(plain.file_version, 1)
        self.assertNotIn("activation", plain.to_json())
        for config in (plain, NetConfig(4, 2, 6, ["ordinary"], activation="silu", auxiliary=True),
                       NetConfig(4, 2, 6, ["2*nested4(ordinary,attention2@10)", "ffn5"])):
            self.assertEqual(NetConfig.from_json(config.to_json(), "test"), config)
        self.assertEqual(config.blocks, 2 * ["nested4(ordinary,attention2@10)"] + ["ffn5"])
        self.assertEqual(config.file_version, 2)
        with self.assertRaisesRegex(NetError, "^test: activation: expected relu"):
            NetConfig.from_json(config.to_json().replace('"name"', '"activation": "tanh", "name"'), "test")


if __name__ == "__main__":
    unittest.main()
