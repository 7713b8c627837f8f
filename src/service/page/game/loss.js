// Classes of moves by the points that they lose. The limits are KaTrain's, which players know.

/** Losses in points at which the classes 1 to 5 begin; class 0 is the best. */
export const LIMITS = [0.5, 1.5, 3, 6, 12];

/** Returns the class of a loss in points, from 0 (best) to 5. */
export const lossClass = (lost) => LIMITS.filter((limit) => lost >= limit).length;

/** Grades of moves, from best to worst; the service decides by the points and the winning chance that a move loses. */
export const GRADES = ["good", "inaccuracy", "mistake", "blunder"];
