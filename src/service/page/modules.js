// All modules that declare actions, settings, panels, layers of the board, views or dialogs. A new module needs a line
// here. Within a place, the order of buttons and panels follows from their `order`, not from this list.

import "/board/settings.js";
import "/sound/sound.js";

import "/board/stones.js";
import "/board/marks.js";
import "/board/sources.js";
import "/board/markup.js";
import "/board/candidates.js";

import "/game/actions.js";
import "/game/take_back.js";
import "/game/navigation.js";
import "/game/tree_edits.js";
import "/game/files.js";
import "/game/review.js";

import "/panels/players.js";
import "/panels/message.js";
import "/panels/result.js";
import "/panels/edit_tools.js";
import "/panels/graph.js";
import "/panels/game_tools.js";
import "/panels/annotation.js";
import "/panels/comment.js";
import "/panels/tree.js";
import "/panels/variations.js";
import "/panels/slider.js";
import "/panels/gestures.js";
import "/panels/transfer.js";
import "/panels/analysis.js";
import "/panels/review.js";
import "/panels/moment.js";
import "/panels/mistakes.js";
import "/panels/report.js";
import "/panels/practice.js";
import "/panels/guess.js";
import "/panels/problem.js";
import "/panels/toast.js";

import "/dialogs/new_game.js";
import "/dialogs/games.js";
import "/dialogs/collection.js";
import "/dialogs/game_info.js";
import "/dialogs/share.js";
import "/dialogs/paste.js";
import "/dialogs/settings.js";
import "/dialogs/shortcuts.js";
import "/dialogs/token.js";
import "/dialogs/install.js";
